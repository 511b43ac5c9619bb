import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import type { Environment } from '@sandbox-jobs/contract/resources/environments/environment.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError } from '../failure.ts'
import { defaultDepartment, findDepartment } from '../lookup/find-department.ts'
import { listEnvironments } from '../lookup/find-environment.ts'
import { pickNamed } from '../lookup/pick-named.ts'
import { escapeControls } from '../output/escape-controls.ts'
import type { Session } from '../session/session.ts'

/** The environment of the company with that name or id; created if absent. */
export async function ensureEnvironment(
  session: Session,
  { name, department, taskDepartment }: { name: string; department?: string; taskDepartment?: string },
): Promise<Environment> {
  const owner = department === undefined ? undefined : await findDepartment(session, department)
  const own = (await listEnvironments(session)).filter((item) => item.owner_kind === 'company')
  const candidates = owner === undefined ? own : own.filter((item) => item.owner_id === owner)
  if (candidates.some((item) => item.name === name || item.id === name)) {
    return pickNamed('environment', name, candidates)
  }
  if (/^env_[0-9a-f]{32}$/.test(name)) {
    throw new CliError(`There is no environment ${name} that you can see.`, {
      hint: 'Give a name to create one, or list environments with sandbox env list.',
      code: 'cli_unknown_name',
    })
  }
  const owning = owner ?? (await ownerOfNew(session, taskDepartment))
  const scope = owning === undefined ? {} : ({ owner_scope: 'department', owner_id: owning } as const)
  const made = await session.client
    .call(allRoutes.createEnvironment, { body: { name, ...scope } })
    .catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'not_found' ? mayNotOwn(name) : error
    })
  session.report.progress(`created the environment ${escapeControls(name)}`)
  return made
}

/** A caller who may not create it for the company creates it for the department of its task, or for the only one. */
async function ownerOfNew(session: Session, taskDepartment: string | undefined): Promise<string | undefined> {
  const me = await session.client.call(allRoutes.readMe)
  if (!me.can.create_company_task && taskDepartment !== undefined)
    return findDepartment(session, taskDepartment)
  return defaultDepartment(session, me)
}

/** For callers who may not own things in a scope, the service responds only with not found. */
const mayNotOwn = (name: string) =>
  new CliError(
    `You may not create the environment ${escapeControls(name)} there, and no environment of that name is visible to you.`,
    {
      hint: 'Name a department you manage with --department; sandbox whoami shows them.',
      code: 'not_found',
    },
  )
