import { networkCacheDaysMax, timeoutMaxSeconds } from '../limits.ts'

/** The limits that the operator sets for a company. No route of tenants writes them. */
export interface CompanyLimits {
  runtime_egress_enabled: boolean
  timeout_ceiling_seconds: number
  active_environment_limit: number
  capacity_retained_version_limit: number
  run_concurrency_limit: number
  /** Runs with a longer timeout start one at a time. Null: no such limit. */
  run_timeout_bound_seconds: number | null
  /** The effective limit: the configured value, or the deployment's limit per company if that is lower. */
  queued_run_limit: number
  active_build_limit: number
  queued_build_limit: number
  /** Null: the default of the deployment. */
  kept_bytes_limit: number | null
  /** Days that cached results of build steps with a network are reused. */
  network_cache_days: number
}

/** The limits that are numbers. */
export type LimitName = Exclude<keyof CompanyLimits, 'runtime_egress_enabled'>

/** The limits to change; the others stay. */
export type LimitChanges = Partial<Record<LimitName, number>> & { runtime_egress_enabled?: boolean }

const countMax = 100_000

/** The most that each limit may be set to; the least is 1. */
export const limitMax: Readonly<Record<LimitName, number>> = {
  run_concurrency_limit: countMax,
  run_timeout_bound_seconds: timeoutMaxSeconds,
  /** The largest queue position that is reported. */
  queued_run_limit: 200,
  active_build_limit: countMax,
  queued_build_limit: countMax,
  /** A pebibyte. */
  kept_bytes_limit: 1024 ** 5,
  network_cache_days: networkCacheDaysMax,
  active_environment_limit: countMax,
  capacity_retained_version_limit: countMax,
  timeout_ceiling_seconds: timeoutMaxSeconds,
}

export const limitNames = Object.keys(limitMax) as LimitName[]

/** All that the operator sets for a company: the columns of these names, which the operator console reads and writes. */
export const operatorColumns = [...limitNames, 'runtime_egress_enabled'] as const
