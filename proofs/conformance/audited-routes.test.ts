import { auditedRoutes } from '@sandbox-jobs/contract/audit/audited-routes.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { idsFor, parametersOf } from './example-ids.ts'
import { expectations } from './expectations/index.ts'
import { sendCell } from './send-cell.ts'
import { type Caller, callers, World } from './world.ts'

/*
 * Every route that may change something is called by somebody who may, and by those who may not: the first records what
 * `contract/audit/audited-routes.ts` says, the others nothing.
 */
const mutating = Object.entries<Route>(allRoutes).filter(([, { method }]) => method !== 'GET')
const { url } = await createTestDatabase()
let world: World

beforeAll(async () => {
  world = await World.make(url)
})
afterAll(() => world.close())

interface Pending {
  object_type: string
  context: string
}

const pendingOf = async (requestId: string): Promise<Pending[]> => {
  const { rows } = await sql<Pending>`/* across companies: a test */
    select object_type, context from audit_pending where context like ${`%${requestId}%`} order by id
  `.execute(world.database.db)
  return rows
}

/** Statements that make an example change something, where the row has the wanted state already. */
const before: Partial<Record<string, string>> = {
  putScriptFile: "update task_versions set work_script = 'exit 1' where state = 'draft'",
  cancelRun: `update runs set state = 'running', terminal_at = null, exit_code = null, error_code = '', worker = 'w',
    sandbox_id = 's', executor = 'e', claimed_at = now(), started_at = now()`,
  mintLogLink: "delete from public_links where object_kind = 'log'",
  putMember: 'delete from chatroom_members',
  changeVersionIsolation: "update environment_versions set isolation = 'gvisor'",
  endSignIns: `insert into sign_ins (id, company_id, user_id, token_hash, credential_generation, client, address, created_at,
      last_used_at, expires_at)
    select 'sgn_' || id, company_id, id, sha256(convert_to(id, 'UTF8')), 1, '', '', now(), now(), now() from users`,
  readAllNotifications: `insert into notifications (id, company_id, user_id, source, event, title, deep_link, subject_type, created_at)
    select 'ntf_' || id, company_id, id, 'unread', 'run_terminal', 'Ended', '/console/runs', 'run', now() from users`,
  redeliver: "update webhook_deliveries set outcome = 'failed'",
  revokeOutputLink: `insert into public_links (id, company_id, run_id, object_kind, token_hash, created_by)
    select 'lnk_output' || id, company_id, id, 'output', sha256(convert_to(id, 'UTF8')), principal_id from runs`,
  revokeArtifactLink: `insert into public_links (id, company_id, run_id, object_kind, artifact_id, token_hash, created_by)
    select 'lnk_artifact' || id, company_id, run_id, 'artifact', id, sha256(convert_to(id, 'UTF8')), '' from run_artifacts`,
}
/** Answers which say that the caller had nothing to change. */
const changedNothing: Record<string, (body: string) => boolean> = {
  cancelRuns: (body) => (JSON.parse(body) as { cancelled: number }).cancelled === 0,
}
/** Needs the context of a turn, which none of the callers has: tested with the tools of agents. */
const inTurns = ['callAgentTool']

test('every route that may change something says what it records', () => {
  expect(Object.keys(auditedRoutes).sort()).toEqual(mutating.map(([name]) => name).sort())
})

test.each(mutating)('%s records its change, and who made it', async (name, route) => {
  const expectation = expectations[name]
  if (!expectation) throw new Error(`no expectation for ${name}`)
  const params = idsFor(parametersOf(route, expectation), { parameter: '', kind: 'own' }, world)
  const attempt = (caller: Caller) =>
    world.rewind(async () => {
      const statement = before[name]
      if (statement) await sql.raw(`/* across companies: a test */ ${statement}`).execute(world.database.db)
      const answer = await sendCell(
        world,
        { route, expectation, caller, variant: { parameter: '', kind: 'own' } },
        params,
      )
      return { answer, pending: await pendingOf(requestIdOf(answer)) }
    })
  const audited = auditedRoutes[name as keyof typeof auditedRoutes]
  let succeeded = 0
  for (const caller of callers) {
    const { answer, pending } = await attempt(caller)
    const isDone = answer.statusCode < 300 && !changedNothing[name]?.(answer.body)
    if (isDone) succeeded += 1
    if (!isDone || 'unrecorded' in audited) {
      expect([caller, answer.statusCode, pending]).toEqual([caller, answer.statusCode, []])
      continue
    }
    const kinds = pending.map(({ object_type }) => object_type)
    expect([caller, kinds.some((kind) => audited.includes(kind)), kinds]).toEqual([caller, true, kinds])
    for (const { context } of pending) {
      expect(JSON.parse(context)).toMatchObject({ action: name, request_id: requestIdOf(answer) })
    }
  }
  if ((expectation.allowed ?? 200) < 300 && !inTurns.includes(name)) expect(succeeded).toBeGreaterThan(0)
})

const requestIdOf = ({ headers }: LightMyRequestResponse): string => String(headers['x-request-id'])
