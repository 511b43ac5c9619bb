import type { FoundThing } from '@sandbox-jobs/contract/resources/companies/found-thing.ts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Reach, reaches } from '../access/share-statement.ts'
import type { Executing } from '../db/database.ts'

/* Reads names of rooms, tasks, environments, tables, people and runs; writes nothing. */

/** The things that somebody may find. */
export interface Findable {
  companyId: string
  /** Undefined: all rooms. */
  roomIds: readonly string[] | undefined
  /** Undefined: all tasks. */
  tasks: { departmentIds: readonly string[]; reach: Reach } | undefined
  /** Of tables; undefined: all. */
  departmentIds: readonly string[] | undefined
  people: boolean
}

export type FoundRow = Omit<FoundThing, 'path'> & { chatroom_id: string | null; place: number }

const detailMax = 200

/** The things whose name has the text, at most `limit` of each kind; `place` 1 is the start of the name. */
export async function findByName(
  db: Executing,
  of: Findable,
  { text, limit }: { text: string; limit: number },
): Promise<FoundRow[]> {
  const find = (kind: FoundThing['kind'], { from, name, detail, where }: Source) => sql`(
    select ${sql.lit(kind)} as kind, id, ${name} as title, left(${detail}, ${sql.lit(detailMax)}) as detail,
      null as chatroom_id, strpos(lower(${name}), lower(${text})) as place
    from ${from} where ${where} and strpos(lower(${name}), lower(${text})) > 0
    order by place, ${name}, id limit ${limit})`
  const found = [
    find('chatroom', rooms(of)),
    find('task', tasks(of)),
    find('environment', environments(of)),
    find('table', tables(of)),
    ...(of.people ? [find('user', people(of))] : []),
  ]
  const { rows } = await sql<FoundRow>`${sql.join(found, sql` union all `)}`.execute(db)
  return rows
}

/** The run of this id, if it is in a room that may be found. */
export async function findRun(db: Executing, of: Findable, id: string): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select 'run' as kind, id, id as title, state as detail, chatroom_id, 1 as place from runs
    where company_id = ${of.companyId} and id = ${id} and ${isAmong('chatroom_id', of.roomIds)}
  `.execute(db)
  return rows
}

interface Source {
  from: RawBuilder<unknown>
  name: RawBuilder<unknown>
  detail: RawBuilder<unknown>
  where: RawBuilder<SqlBool>
}

const isAmong = (column: string, ids: readonly string[] | undefined): RawBuilder<SqlBool> =>
  ids === undefined ? sql`true` : sql`${sql.ref(column)} = any(${ids}::text[])`

const rooms = ({ companyId, roomIds }: Findable): Source => ({
  from: sql`chatrooms`,
  name: sql`name`,
  detail: sql`''`,
  where: sql`company_id = ${companyId} and deleted_at is null and ${isAmong('id', roomIds)}`,
})

const tasks = ({ companyId, tasks: seen }: Findable): Source => ({
  from: sql`tasks`,
  name: sql`name`,
  detail: sql`description`,
  where: sql`company_id = ${companyId} and state = 'active' and not hidden and ${
    seen === undefined
      ? sql`true`
      : sql`((owner_scope = 'department' and owner_id = any(${seen.departmentIds}::text[]))
          or exists (select from share_grants where share_grants.task_id = tasks.id and ${reaches(seen.reach)}))`
  }`,
})

const environments = ({ companyId }: Findable): Source => ({
  from: sql`environments`,
  name: sql`name`,
  detail: sql`description`,
  where: sql`(company_id = ${companyId} or company_id is null) and state <> 'archived'`,
})

const tables = ({ companyId, departmentIds }: Findable): Source => ({
  from: sql`custom_tables`,
  name: sql`name`,
  detail: sql`''`,
  where: sql`company_id = ${companyId} and state = 'active' and ${
    departmentIds === undefined
      ? sql`true`
      : sql`(owner_scope = 'department' and owner_id = any(${departmentIds}::text[]))`
  }`,
})

const people = ({ companyId }: Findable): Source => ({
  from: sql`users`,
  name: sql`display_name`,
  detail: sql`login`,
  where: sql`company_id = ${companyId} and disabled_at is null`,
})
