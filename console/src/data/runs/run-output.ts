import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'

/** More than a page shows. */
const shownMaxBytes = 16 * 1024 ** 2

/** The output of a run as far as it can be shown: its value, or text that is no JSON. */
export type Output = { kind: 'none' } | { kind: 'value'; value: unknown } | { kind: 'large'; bytes: number }

export const readOutput = (params: { cid: string; rid: string }) =>
  queryOptions({
    queryKey: [allRoutes.readRunOutput.path, params],
    queryFn: ({ signal }): Promise<Output> => outputOf(params, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

async function outputOf(params: { cid: string; rid: string }, signal: AbortSignal): Promise<Output> {
  try {
    const response = await api.call(allRoutes.readRunOutput, { params, signal })
    const bytes = Number(response.headers.get('content-length') ?? 0)
    if (bytes > shownMaxBytes) {
      await response.body?.cancel()
      return { kind: 'large', bytes }
    }
    return { kind: 'value', value: parsed(await response.text()) }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { kind: 'none' }
    throw error
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
