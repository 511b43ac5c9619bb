import type { Egress, EgressAllowList } from '@sandbox-jobs/contract/resources/egress.ts'
import { notFound } from '../base/coded-error.ts'
import { acceptedAllowList } from '../environments/allow-list.ts'
import type { Principal } from '../platform/principal.ts'
import { requireManagedTask } from './task-access.ts'
import type { TaskContext } from './task-context.ts'
import { setAllowList } from './task-store.ts'

/** What the task's owner lets its runs reach; borrowers never see it. */
export async function readTaskEgress(
  context: TaskContext,
  principal: Principal,
  id: string,
): Promise<Egress> {
  const task = await requireManagedTask(context.db, principal, id)
  return { allow_list: task.egress_allow_list }
}

/** Holds from the next start of a run on, in every version. Throws 422 for an entry that is not acceptable. */
export async function changeTaskEgress(
  context: TaskContext,
  principal: Principal,
  { id, allowList }: { id: string; allowList: EgressAllowList | null },
): Promise<Egress> {
  const task = await requireManagedTask(context.db, principal, id)
  const accepted = acceptedAllowList(allowList)
  if (!(await setAllowList(context.db, task, accepted))) throw notFound()
  return { allow_list: accepted }
}
