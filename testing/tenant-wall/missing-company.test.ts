import { sql } from 'kysely'
import { describe, expect, inject, it } from 'vitest'
import { acrossCompanies } from '../../server/db/across-companies.ts'
import { prepared } from '../../server/db/fast/prepared.ts'
import { createTestDatabase } from '../database/test-database.ts'
import { missingCompany } from './missing-company.ts'
import { takeFaults } from './watch-statements.ts'

const tables = new Set(['runs', 'jobs', 'run_inputs'])
const missing = (text: string) => missingCompany(text, tables)

describe('a statement without the company of its tenant tables', () => {
  it.each([
    ['a select by id', 'select * from "runs" where "id" = $1', ['runs']],
    ['an update', 'update runs set company_id = $2 where id = $1', ['runs']],
    ['a delete', 'delete from runs where id = any($1)', ['runs']],
    [
      'tables that are only compared with each other',
      'select * from runs r join jobs j on j.id = r.job_id and j.company_id = r.company_id where r.id = $1',
      ['runs', 'jobs'],
    ],
    [
      'a company from the row itself',
      'select * from runs r join companies c on c.id = r.company_id where r.id = $1',
      ['runs'],
    ],
    [
      'a table next to a bound one',
      'select * from runs r, jobs j where r.company_id = $1 and j.id = $2',
      ['jobs'],
    ],
    [
      'one part of a union',
      'select id from runs where company_id = $1 union all select id from jobs where id = $2',
      ['jobs'],
    ],
    ['a query of with', 'with found as (select id from runs where id = $1) select * from found', ['runs']],
    [
      'an unrelated condition',
      'select * from runs where id = $1 and exists (select 1 from jobs where company_id = $2)',
      ['runs'],
    ],
    [
      'a column that is only selected',
      'select company_id from runs where id = $1 order by company_id',
      ['runs'],
    ],
    ['a company that is only not null', 'select 1 from runs where company_id is not null', ['runs']],
  ])('reports %s', (_, text, found) => {
    expect(missing(text)).toEqual(found)
  })

  it.each([
    ['a value', 'select * from "runs" as "r" where "r"."id" = $1 and "r"."company_id" = $2'],
    ['a join on it', 'select * from runs r join jobs j on j.id = r.job_id where r.company_id = $1'],
    [
      'using',
      'select 1 from unnest($1::uuid[], $2::uuid[]) as given (company_id, id) join runs using (company_id, id)',
    ],
    [
      'rows of a bound query',
      'with found as (select id from runs where company_id = $1) delete from run_inputs using found where run_id = found.id',
    ],
    [
      'a list that is bound',
      'delete from run_inputs where run_id in (select id from runs where company_id = $1)',
    ],
    [
      'the outer query',
      'select (select count(*) from run_inputs i where i.run_id = r.id) from runs r where r.company_id = $1',
    ],
    [
      'a lateral query',
      'select 1 from runs r, lateral (select 1 from jobs j where j.id = r.job_id) as x where r.company_id = $1',
    ],
    ['pairs', 'select 1 from runs where (company_id, id) in (($1, $2))'],
    ['no tenant table', 'select extract(epoch from now()) from companies'],
  ])('one that is bound by %s passes', (_, text) => {
    expect(missing(text)).toEqual([])
  })
})

describe('a statement of the program', () => {
  const unbound = (from: string) => sql`select id from runs where id = ${from}`

  it('that is declared for all companies passes, built or raw', async () => {
    const { db } = await createTestDatabase()
    const reason = 'a sweep of all companies'
    const built = db.selectFrom('runs').modifyFront(acrossCompanies(reason)).select('id').compile()
    const written = sql`${acrossCompanies(reason)} ${unbound('run_1')}`.compile(db)
    for (const { sql: text } of [built, written]) {
      expect(text).toContain(`/* across companies: ${reason} */`)
      expect(missing(text)).toEqual([])
    }
    await db.executeQuery(built)
    await db.executeQuery(written)
    expect(missing(unbound('run_1').compile(db).sql)).toEqual(['runs'])
  })

  it('fails the test that ran it, with the statement and the remedy', async () => {
    const { db } = await createTestDatabase()
    await prepared(() => sql`select id from runs where id = 'planted' and company_id = 'bound'`)(db, {})
    expect(takeFaults()).toEqual([])
    await prepared(() => sql`select id from runs where id = 'planted'`)(db, {})
    const [fault, ...others] = takeFaults()
    expect(others).toEqual([])
    expect(fault).toContain('uses runs without company_id')
    expect(fault).toContain('acrossCompanies()')
    expect(fault).toContain("where id = 'planted'")
  })

  it('is checked for each table of the migrated database that has a company_id', () => {
    expect(inject('tenantTables')).toEqual(
      expect.arrayContaining(['runs', 'users', 'share_grants', 'build_attempts']),
    )
    expect(inject('tenantTables')).not.toContain('companies')
  })
})
