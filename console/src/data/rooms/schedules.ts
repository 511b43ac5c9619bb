import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { QueryOf } from '@sandbox-jobs/contract/routes/route.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { keptWith } from '../api/kept-answer.ts'
import { apiAll, apiQuery, readAgain } from '../api/queries.ts'

const againMs = 30_000

/** The schedules of a room with their next ticks. */
export const schedulesOf = (cid: string) => ({
  ...apiAll(allRoutes.listSchedules, { params: { cid } }),
  refetchInterval: againMs,
})

export const scheduleOf = (cid: string, sid: string) =>
  apiQuery(allRoutes.readSchedule, { params: { cid, sid } })

/** The input of each run, as the JSON text that is stored. */
export const scheduleInputOf = (cid: string, sid: string) => {
  const params = { cid, sid }
  return queryOptions({
    queryKey: [allRoutes.readScheduleInput.path, params],
    queryFn: async ({ signal }) => (await api.call(allRoutes.readScheduleInput, { params, signal })).text(),
  })
}

/** The newest ticks of a schedule that came. */
export const ticksOf = (cid: string, sid: string) => ({
  ...apiQuery(allRoutes.listScheduleTicks, { params: { cid, sid }, query: { page_size: 10 } }),
  refetchInterval: againMs,
})

/** Ticks and price of a schedule before it is saved. The last answer about the task stays until the next one is there. */
export const previewOf = (cid: string, query: QueryOf<typeof allRoutes.previewSchedule>) => ({
  ...apiQuery(allRoutes.previewSchedule, { params: { cid }, query }),
  placeholderData: keptWith({ cid, ...query }, 'cid', 'task_id'),
})

export const readSchedulesAgain = (queries: QueryClient): Promise<void> =>
  readAgain(queries, [
    ...[allRoutes.listSchedules, allRoutes.listScheduleTicks],
    ...[allRoutes.readSchedule, allRoutes.readScheduleInput],
  ])
