import type { Egress, EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { acceptedAllowList } from '../../environments/catalogue/allow-list.ts'
import { requireManagedTask } from './task-access.ts'
import type { TaskContext } from './task-context.ts'
import { setAllowList } from './task-store.ts'

/** The destinations that the task's owner allows its runs. Borrowers never see them. */
export async function readTaskEgress(
  context: TaskContext,
  principal: Principal,
  id: string,
): Promise<Egress> {
  const task = await requireManagedTask(context.db, principal, 'task.change', id)
  return { allow_list: task.egress_allow_list }
}

/** Applies to every version from the next start of a run. Throws 422 for an invalid entry. */
export async function changeTaskEgress(
  context: TaskContext,
  principal: Principal,
  { id, allowList }: { id: string; allowList: EgressAllowList | null },
): Promise<Egress> {
  const task = await requireManagedTask(context.db, principal, 'task.change', id)
  const accepted = acceptedAllowList(allowList)
  if (!(await setAllowList(context.db, task, accepted))) throw notFound()
  return { allow_list: accepted }
}
