import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { idPattern } from '@sandbox-jobs/contract/ids.ts'
import type { Me } from '@sandbox-jobs/contract/resources/access/me.ts'
import type { OwnDepartment } from '@sandbox-jobs/contract/resources/companies/department.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError, exitCodes } from '../failure.ts'
import { escapeControls } from '../output/escape-controls.ts'
import type { Session } from '../session/session.ts'
import { allPages } from './all-pages.ts'
import { pickNamed } from './pick-named.ts'

const departmentId = idPattern('department')

/** The departments that the caller manages: every one for a manager of the company. */
export const ownDepartments = ({ client }: Session): Promise<OwnDepartment[]> =>
  allPages((query) => client.call(allRoutes.listOwnDepartments, { query }))

/** Id of a department, given by id, or by the name of one that the caller manages. */
export async function findDepartment(session: Session, wanted: string): Promise<string> {
  if (departmentId.test(wanted)) return wanted
  try {
    return pickNamed('department', wanted, await ownDepartments(session), 'that you manage').id
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) throw namesNotReadable(wanted)
    throw error
  }
}

/**
 * Owner of something new that names none: undefined, which is the company, for those who may create things for it, and
 * otherwise the only department that the caller manages.
 */
export async function defaultDepartment(session: Session, me: Me): Promise<string | undefined> {
  if (me.can.create_company_task || me.managed_department_ids.length === 0) return undefined
  const [only = '', ...others] = me.managed_department_ids
  if (others.length === 0) return only
  const names = (await ownDepartments(session)).map(({ name }) => escapeControls(name))
  throw new CliError('You manage several departments, and none is named.', {
    hint: `Name the owner with --department: ${names.join(', ')}.`,
    code: 'cli_usage',
    exitCode: exitCodes.usage,
  })
}

const namesNotReadable = (wanted: string) =>
  new CliError(
    `The department ${escapeControls(wanted)} cannot be looked up: a sandbox-scope key cannot list departments.`,
    {
      hint: 'Give its id (dep_ and 32 digits); a person sees it with sandbox whoami.',
      code: 'cli_department_names',
    },
  )
