import type { Executing } from '../../db/database.ts'
import {
  type AuditTrace,
  findBuildTrace,
  findRunTrace,
  listChangesByRequest,
  listChangesOf,
  listStageTraces,
  searchChangesByRequest,
} from './trace-store.ts'
import type { Traced } from './traced.ts'

const entriesMax = 500
/** Runs and builds that a request made and that are followed too. */
const madeMax = 10
/** How long a request may last, and how far the clocks of the service and the database may differ. */
const aroundMs = 20 * 60_000

/** The database's rows about a run, a build or a request; `logged` are the lines that the logs have about it. */
export async function traceRows(db: Executing, id: string, logged: readonly Traced[]): Promise<Traced[]> {
  if (id.startsWith('run_')) return traceRun(db, id)
  if (id.startsWith('bld_')) return traceBuild(db, id)
  const changes = await changesByRequest(db, id, logged)
  const made = new Set(changes.filter(({ change }) => change !== 'delete').map(({ object_id }) => object_id))
  const followed: Traced[] = []
  for (const subject of [...made].filter((one) => /^(run|bld)_/.test(one)).slice(0, madeMax))
    followed.push(...(await traceRows(db, subject, [])))
  // A change of the request to what it made is followed with that.
  const others = changes.filter(({ object_id }) => !/^(run|bld)_/.test(object_id))
  return [...others.map(changed), ...followed]
}

async function changesByRequest(db: Executing, id: string, logged: readonly Traced[]): Promise<AuditTrace[]> {
  const line = logged.find(({ at, fields }) => at !== undefined && typeof fields.company === 'string')
  if (line?.at === undefined) return searchChangesByRequest(db, { id, limit: entriesMax })
  const at = line.at.getTime()
  const within = {
    companyId: String(line.fields.company),
    from: new Date(at - aroundMs),
    to: new Date(at + aroundMs),
  }
  return listChangesByRequest(db, within, { id, limit: entriesMax })
}

async function traceRun(db: Executing, id: string): Promise<Traced[]> {
  const run = await findRunTrace(db, id)
  if (!run) return []
  const { company_id: company, chatroom_id: room, task_id: task, task_version_id: version } = run
  const { state, error_code, exit_code, failure_stage, failure_source } = run
  const event = (at: Date | null, text: string, fields: Traced['fields'] = {}): Traced[] =>
    at ? [{ at, source: 'runs', text, fields: { run: id, ...fields } }] : []
  return [
    ...event(run.queued_at, 'queued', { company, room, task, version }),
    ...event(run.claimed_at, 'claimed', {
      claims: run.fence,
      ...(run.sandbox_id && { sandbox: run.sandbox_id }),
    }),
    ...event(run.started_at, 'started'),
    ...event(run.cancel_requested_at, 'cancel requested'),
    ...event(run.terminal_at, `ended as ${state}`, {
      ...(error_code && { error_code }),
      ...(exit_code !== null && { exit_code }),
      ...(failure_stage && { failure_stage }),
      ...(failure_source && { failure_source }),
    }),
    ...(await listChangesOf(db, company, { id, limit: entriesMax })).map(changed),
  ]
}

async function traceBuild(db: Executing, id: string): Promise<Traced[]> {
  const build = await findBuildTrace(db, id)
  if (!build) return []
  const { company_id: company, environment_version_id: version, state, error_code } = build
  const event = (at: Date | null, text: string, fields: Traced['fields'] = {}): Traced[] =>
    at ? [{ at, source: 'builds', text, fields: { attempt: id, ...fields } }] : []
  const stages = await listStageTraces(db, id)
  return [
    ...event(build.queued_at, 'queued', { company, version }),
    ...event(build.started_at, 'started'),
    ...stages.flatMap(({ stage, started_at, ended_at, outcome, passes }) => [
      ...event(started_at, `stage ${stage} started`, { passes }),
      ...event(ended_at, `stage ${stage} ${outcome}`),
    ]),
    ...event(build.terminal_at, `ended as ${state}`, error_code ? { error_code } : {}),
    ...(await listChangesOf(db, company, { id, limit: entriesMax })).map(changed),
  ]
}

function changed({ at, action, change, from_state, to_state, ...entry }: AuditTrace): Traced {
  const { company_id: company, actor_type, actor_id, object_type, object_id, request_id: request } = entry
  return {
    at,
    source: 'audit',
    text:
      to_state === null ? `${change} ${object_type}` : `${object_type} ${from_state || 'new'} to ${to_state}`,
    fields: {
      object: object_id,
      action,
      actor: actor_id === '' ? actor_type : `${actor_type} ${actor_id}`,
      company,
      ...(request !== null && { request }),
    },
  }
}
