import { withDatabase } from '../crash/load/history.ts'

/** Makes copies of a run that has ended, a second apart. */
export const copyRun = (
  dataDir: string,
  run: { id: string; companyId: string },
  copies: number,
): Promise<void> =>
  withDatabase(dataDir, async (database) => {
    await database.query('set statement_timeout = 0')
    const { rows } = await database.query<{ names: string }>(
      `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
      where table_schema = 'public' and table_name = 'runs' and is_generated = 'NEVER'`,
    )
    const names = rows[0]?.names
    await database.query(
      `insert into runs (${names}) select ${names} from (
        select copied.* from runs, generate_series(1, ${copies}) n, lateral jsonb_populate_record(
          runs, jsonb_build_object('id', 'run_' || md5(n::text), 'queued_at', runs.queued_at - n * interval '1 second')
        ) copied where runs.id = $1 and runs.company_id = $2
      ) copies`,
      [run.id, run.companyId],
    )
    await database.query('analyze runs')
  })
