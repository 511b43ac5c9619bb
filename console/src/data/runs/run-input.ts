import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { indented } from '../indented.ts'

/** The input of a run as JSON on lines; null after it was deleted. */
export const inputOfRun = (params: { cid: string; rid: string }) =>
  queryOptions({
    queryKey: [allRoutes.readRunInput.path, params],
    queryFn: ({ signal }) => readInput(params, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

async function readInput(params: { cid: string; rid: string }, signal: AbortSignal): Promise<string | null> {
  try {
    return indented(await (await api.call(allRoutes.readRunInput, { params, signal })).text())
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}
