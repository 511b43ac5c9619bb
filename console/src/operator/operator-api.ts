import { readApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { type RequestRoute, requestInit, urlOf } from '@sandbox-jobs/contract/client/request.ts'
import { operatorRoutes, operatorUseHeader } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import type { OperatorSignIn } from '@sandbox-jobs/contract/operator/operator-sign-in.ts'
import type { OperatorState } from '@sandbox-jobs/contract/operator/operator-state.ts'
import { queryOptions } from '@tanstack/react-query'
import { sendFromPage } from '../data/api/api.ts'

const refreshEveryMs = 2000

/** Whether the operator did something since the last request: a page that is only open keeps nobody signed in. */
let wasUsed = true
for (const act of ['pointerdown', 'keydown'])
  addEventListener(act, () => {
    wasUsed = true
  })

async function ask<T>(route: RequestRoute, parts: { body?: object; signal?: AbortSignal } = {}): Promise<T> {
  const headers: Record<string, string> = wasUsed ? { [operatorUseHeader]: '1' } : {}
  wasUsed = false
  const given = { ...parts, headers }
  const response = await sendFromPage(urlOf(location.origin, route, given), requestInit(route, given, {}))
  if (!response.ok) throw await readApiError(response)
  return (await response.json()) as T
}

export const signIn = (code: string): Promise<OperatorSignIn> =>
  ask(operatorRoutes.signIn, { body: { code } })

export const signOut = (): Promise<object> => ask(operatorRoutes.signOut)

export const operatorState = queryOptions({
  queryKey: [operatorRoutes.readState.path],
  queryFn: ({ signal }) => ask<OperatorState>(operatorRoutes.readState, { signal }),
  refetchInterval: ({ state }) => (state.error ? false : refreshEveryMs),
})
