import { readApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import {
  type RequestParts,
  type RequestRoute,
  requestInit,
  urlOf,
} from '@sandbox-jobs/contract/client/request.ts'
import type { LimitChanges } from '@sandbox-jobs/contract/operator/company-limits.ts'
import type { GatewayKeyList } from '@sandbox-jobs/contract/operator/gateway-key.ts'
import type { OperatedImages } from '@sandbox-jobs/contract/operator/operated-images.ts'
import type { OperatedNetwork } from '@sandbox-jobs/contract/operator/operated-network.ts'
import type { OperatorActList } from '@sandbox-jobs/contract/operator/operator-act.ts'
import type { CompanyList, OperatedCompany } from '@sandbox-jobs/contract/operator/operator-company.ts'
import { operatorRoutes, operatorUseHeader } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import type { OperatorSignIn } from '@sandbox-jobs/contract/operator/operator-sign-in.ts'
import type { OperatorState } from '@sandbox-jobs/contract/operator/operator-state.ts'
import type { OperatedBuilds, OperatedRuns } from '@sandbox-jobs/contract/operator/operator-work.ts'
import type { LoggedService, LogLevel, ServiceLog } from '@sandbox-jobs/contract/operator/service-log.ts'
import type { OperatedPrices } from '@sandbox-jobs/contract/operator/shown-prices.ts'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { sendFromPage } from '../data/api/api.ts'

const refreshEveryMs = 2000

/** Whether the operator did something since the last request: a page that is only open keeps nobody signed in. */
let wasUsed = true
for (const act of ['pointerdown', 'keydown'])
  addEventListener(act, () => {
    wasUsed = true
  })

type Parts = Pick<RequestParts, 'params' | 'query' | 'body' | 'signal'>

async function ask<T>(route: RequestRoute, parts: Parts = {}): Promise<T> {
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

/** Of an answer that changes by itself: it is asked for again, until that fails. */
const refreshed = {
  refetchInterval: ({ state }: { state: { error: unknown } }) => (state.error ? false : refreshEveryMs),
} as const

export const operatorState = queryOptions({
  queryKey: [operatorRoutes.readState.path],
  queryFn: ({ signal }) => ask<OperatorState>(operatorRoutes.readState, { signal }),
  ...refreshed,
})

/** The companies whose names contain a text. */
export const companiesNamed = (name: string) =>
  queryOptions({
    queryKey: [operatorRoutes.listCompanies.path, name],
    queryFn: ({ signal }) => ask<CompanyList>(operatorRoutes.listCompanies, { query: { name }, signal }),
    placeholderData: keepPreviousData,
  })

export const companyOf = (id: string) =>
  queryOptions({
    queryKey: [operatorRoutes.readCompany.path, id],
    queryFn: ({ signal }) => ask<OperatedCompany>(operatorRoutes.readCompany, { params: { id }, signal }),
  })

/** The runs that have not ended, of one company or of all. */
export const runsOf = (company: string | undefined) =>
  queryOptions({
    queryKey: [operatorRoutes.listRuns.path, company],
    queryFn: ({ signal }) => ask<OperatedRuns>(operatorRoutes.listRuns, { query: { company }, signal }),
    ...refreshed,
  })

/** A worker ends it within a second. */
export const endRun = (id: string, reason: string): Promise<object> =>
  ask(operatorRoutes.endRun, { params: { id }, body: { reason } })

export const emptyQueue = (id: string, reason: string): Promise<object> =>
  ask(operatorRoutes.emptyQueue, { params: { id }, body: { reason } })

/** The builds that have not ended, of one company or of all, and whether new ones are refused. */
export const buildsOf = (company: string | undefined) =>
  queryOptions({
    queryKey: [operatorRoutes.listBuilds.path, company],
    queryFn: ({ signal }) => ask<OperatedBuilds>(operatorRoutes.listBuilds, { query: { company }, signal }),
    ...refreshed,
  })

export const shownPrices = queryOptions({
  queryKey: [operatorRoutes.readPrices.path],
  queryFn: ({ signal }) => ask<OperatedPrices>(operatorRoutes.readPrices, { signal }),
})

export const operatedNetwork = queryOptions({
  queryKey: [operatorRoutes.readNetwork.path],
  queryFn: ({ signal }) => ask<OperatedNetwork>(operatorRoutes.readNetwork, { signal }),
})

export const blockedImages = queryOptions({
  queryKey: [operatorRoutes.listBlocks.path],
  queryFn: ({ signal }) => ask<OperatedImages>(operatorRoutes.listBlocks, { signal }),
})

export interface LogSearch {
  service?: LoggedService
  level?: LogLevel
  text?: string
}

/** The newest lines of the logs of the service, read again while `isLive`. */
export const logOf = (search: LogSearch, isLive: boolean) =>
  queryOptions({
    queryKey: [operatorRoutes.readLog.path, search],
    queryFn: ({ signal }) => ask<ServiceLog>(operatorRoutes.readLog, { query: { ...search }, signal }),
    placeholderData: keepPreviousData,
    ...(isLive && refreshed),
  })

/** The audit log of operators, newest first. */
export const acts = infiniteQueryOptions({
  queryKey: [operatorRoutes.listActs.path],
  queryFn: ({ signal, pageParam: before }) =>
    ask<OperatorActList>(operatorRoutes.listActs, { query: { before }, signal }),
  initialPageParam: undefined as number | undefined,
  getNextPageParam: ({ next_before }) => next_before ?? undefined,
})

export const stopBuilds = (minutes: number, reason: string): Promise<object> =>
  ask(operatorRoutes.stopBuilds, { body: { reason, minutes } })

export const resumeBuilds = (reason: string): Promise<object> =>
  ask(operatorRoutes.resumeBuilds, { body: { reason } })

export const turnSwitchOn = (reason: string): Promise<object> =>
  ask(operatorRoutes.turnSwitchOn, { body: { reason } })

export const turnSwitchOff = (reason: string): Promise<object> =>
  ask(operatorRoutes.turnSwitchOff, { body: { reason } })

/** Whole months are of UTC. */
export interface WantedBudget {
  amount: string
  month?: string
  recurring: boolean
}

export const gatewayKeysOf = (id: string) =>
  queryOptions({
    queryKey: [operatorRoutes.listGatewayKeys.path, id],
    queryFn: ({ signal }) => ask<GatewayKeyList>(operatorRoutes.listGatewayKeys, { params: { id }, signal }),
  })

export const revokeGatewayKey = (id: string, key: string, reason: string): Promise<object> =>
  ask(operatorRoutes.revokeGatewayKey, { params: { id, key }, body: { reason } })

export const setBudget = (id: string, wanted: WantedBudget, reason: string): Promise<object> =>
  ask(operatorRoutes.setBudget, { params: { id }, body: { reason, ...wanted } })

export const removeBudgets = (id: string, reason: string): Promise<object> =>
  ask(operatorRoutes.removeBudgets, { params: { id }, body: { reason } })

/** An act, which the audit log of operators has with its reason. */
export const setLimits = (id: string, limits: LimitChanges, reason: string): Promise<object> =>
  ask(operatorRoutes.setLimits, { params: { id }, body: { reason, limits } })
