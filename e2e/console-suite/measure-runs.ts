import { withDatabase } from '../crash/load/history.ts'
import { ended, publish, runWhen, submit } from '../main-job/tenant.ts'
import type { Figure } from './figure.ts'
import type { Measured } from './measured.ts'
import { rendererOf, scrolledFrameMs } from './renderer.ts'

const runs = 100_000
/** Pages of the list that are read before it is scrolled. */
const pages = 20
const frames = 200

/** The list of a company with 100,000 runs: the first rows, and scrolling over the rows that were read. */
export async function measureRuns({ world, browser, openSignedIn }: Measured): Promise<Figure[]> {
  const { tenant, environmentVersion, service } = world
  const version = await publish(tenant, {
    environmentVersion,
    workScript: 'echo {} >"$SERVICE_OUTPUT_FILE"',
  })
  const { id } = await submit(tenant, version, {})
  await runWhen(tenant, id, ended)
  await copyRun(service.dataDir, { id, companyId: tenant.companyId })

  const page = await openSignedIn()
  const renderer = await rendererOf(browser, page)
  const startedAt = Date.now()
  await page.goto(`${service.url}/console/runs`)
  await page.locator('main tbody tr').nth(49).waitFor()
  const firstMs = Date.now() - startedAt
  for (let read = 1; read < pages; read += 1) {
    await page.getByRole('button', { name: 'More' }).press('Enter')
    await page
      .locator('main tbody tr')
      .nth(read * 50 + 49)
      .waitFor()
  }
  await page.keyboard.press('Home')
  const frameMs = await scrolledFrameMs(page, renderer, {
    list: 'document.scrollingElement',
    ...{ frames, step: 200 },
  })
  await page.context().close()
  const of = { measure: 'runs', unit: 'ms' } as const
  return [
    { ...of, what: 'first 50 of 100,000 runs after navigation', value: firstMs, most: null },
    { ...of, what: `main thread, a scrolled frame over ${pages * 50} rows`, value: frameMs, most: 8 },
  ]
}

/** Copies of a run that has ended, a second apart. */
const copyRun = (dataDir: string, run: { id: string; companyId: string }): Promise<void> =>
  withDatabase(dataDir, async (database) => {
    await database.query('set statement_timeout = 0')
    const { rows } = await database.query<{ names: string }>(
      `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
      where table_schema = 'public' and table_name = 'runs' and is_generated = 'NEVER'`,
    )
    const names = rows[0]?.names
    await database.query(
      `insert into runs (${names}) select ${names} from (
        select copied.* from runs, generate_series(1, ${runs}) n, lateral jsonb_populate_record(
          runs, jsonb_build_object('id', 'run_' || md5(n::text), 'queued_at', runs.queued_at - n * interval '1 second')
        ) copied where runs.id = $1 and runs.company_id = $2
      ) copies`,
      [run.id, run.companyId],
    )
    await database.query('analyze runs')
  })
