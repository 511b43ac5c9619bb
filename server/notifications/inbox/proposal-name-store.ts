import type { Executing } from '../../db/database.ts'

/** Names of the room and the task of a proposal. */
export async function findProposalNames(
  db: Executing,
  { companyId, chatroomId, taskId }: { companyId: string; chatroomId: string; taskId: string },
): Promise<{ chatroom_name: string; task_name: string }> {
  return db
    .selectFrom('tasks')
    .innerJoin('chatrooms', 'chatrooms.company_id', 'tasks.company_id')
    .select(['tasks.name as task_name', 'chatrooms.name as chatroom_name'])
    .where('tasks.company_id', '=', companyId)
    .where('tasks.id', '=', taskId)
    .where('chatrooms.company_id', '=', companyId)
    .where('chatrooms.id', '=', chatroomId)
    .executeTakeFirstOrThrow()
}
