import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { idPattern } from '@sandbox-jobs/contract/ids.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError } from '../failure.ts'
import type { Session } from '../session/session.ts'
import { allPages } from './all-pages.ts'
import { pickNamed } from './pick-named.ts'

const departmentId = idPattern('department')

/** Id of a department, given by id, or by name for callers who may list departments. */
export async function findDepartment({ client }: Session, wanted: string): Promise<string> {
  if (departmentId.test(wanted)) return wanted
  try {
    const departments = await allPages((query) => client.call(allRoutes.listDepartments, { query }))
    return pickNamed('department', wanted, departments).id
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) throw namesNotReadable(wanted)
    throw error
  }
}

const namesNotReadable = (wanted: string) =>
  new CliError(`The department ${wanted} cannot be looked up: only administrators can list them by name.`, {
    hint: 'Give its id (dep_ and 32 digits); sandbox whoami shows those of the departments you manage.',
    code: 'cli_department_names',
  })
