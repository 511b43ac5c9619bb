import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { apiQuery } from '../../data/api/queries.ts'
import { inputOfRun } from '../../data/runs/run-input.ts'

/** The input of the person's last run of the task, as long as it exists. */
export function useLastInput(cid: string, taskId: string): string | null | undefined {
  const last = useQuery(apiQuery(allRoutes.readLastRun, { params: { cid }, query: { task_id: taskId } }))
  const rid = last.data?.run?.id
  return useQuery({ ...inputOfRun({ cid, rid: rid ?? '' }), enabled: rid !== undefined }).data
}
