import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createEmptyDatabase } from '../../../testing/database/test-database.ts'
import { migrate, migrations } from '../../db/migrate.ts'
import { listKeptKinds, recountKeptBytes } from './kept-bytes-store.ts'

/** The migrations before those that count rows of the directory, builds, runs and events. */
const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0315'))

it('an upgrade counts the rows that are there, and removes the events of runs without content', async () => {
  const { db } = await createEmptyDatabase()
  await migrate(db, earlier)
  await db.transaction().execute(async (trx) => {
    // A run refers to more than this test is about.
    await sql`alter table runs disable trigger note_made_runs`.execute(trx)
    await sql`insert into companies (id, name) values ('acme', 'acme')`.execute(trx)
    await sql`insert into departments (id, company_id, name) values ('dep', 'acme', 'sales')`.execute(trx)
    await sql`insert into environments (id, company_id, owner_kind, owner_scope, owner_id, name)
      values ('env', 'acme', 'company', 'company', 'acme', 'own'),
        ('curated', null, 'system_curated', 'company', '', 'for all')`.execute(trx)
    await sql`insert into runs (id, company_id, chatroom_id, task_id, task_version_id, environment_version_id, state,
        resource_profile, principal_type, principal_id, auth_method, submission_source, timeout_seconds, input_digest,
        terminal_at, content_expired_at)
      select id, 'acme', 'room', 'task', 'version', 'image', 'cancelled', 'standard', 'user', 'ada', 'jwt', 'rest', 60,
        'digest', now(), expired
      from (values ('old', now()), ('recent', null)) as run (id, expired)`.execute(trx)
    await sql`insert into run_inputs (run_id, company_id, content) values ('recent', 'acme', '')`.execute(trx)
    await sql`insert into state_events (company_id, entity, entity_id, from_state, to_state)
      values ('acme', 'run', 'old', '', 'queued'), ('acme', 'run', 'recent', '', 'queued'),
        ('acme', 'environment', 'env', '', 'active'), (null, 'environment', 'curated', '', 'active')`.execute(
      trx,
    )
  })
  await sql`alter table runs enable trigger note_made_runs`.execute(db)
  await migrate(db)
  expect(await recountKeptBytes(db)).toEqual([])
  expect(await listKeptKinds(db, 'acme')).toEqual([
    { kind: 'inputs', bytes: 3072 },
    { kind: 'runs', bytes: 2048 },
    { kind: 'environments', bytes: 768 + 'own'.length },
    { kind: 'directory', bytes: 512 + 3 * 'sales'.length },
    { kind: 'state_events', bytes: 320 },
  ])
  const { rows } = await sql`select entity_id from state_events where company_id = 'acme' order by 1`.execute(
    db,
  )
  expect(rows).toEqual([{ entity_id: 'env' }, { entity_id: 'recent' }])
})
