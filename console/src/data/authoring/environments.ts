import type { BuildAttempt } from '@sandbox-jobs/contract/resources/builds/build-attempt.ts'
import type { Environment } from '@sandbox-jobs/contract/resources/environments/environment.ts'
import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useEffect } from 'react'
import { lookOf } from '../../design/states.ts'
import { apiAll, apiPages, apiQuery } from '../api/queries.ts'
import { isStreamUp } from '../live/held-stream.ts'
import { followTopic } from '../live/live-topics.ts'
import { useManages } from '../person/owners.ts'

/** How often what changes by itself is read again. */
const liveMs = 3000
/** The same while events report its changes. */
const quietMs = 20_000

export interface BuildParams {
  id: string
  vid: string
  aid: string
}

/** Environments with their size, findings and use. */
export const environments = apiPages(allRoutes.listEnvironmentOverviews, {})

export const environmentOf = (id: string) => apiQuery(allRoutes.readEnvironment, { params: { id } })

const isLive = ({ state }: EnvironmentVersion) => lookOf('environment_version', state).isLive

/** Versions, read again as long as one of them is being built. */
export const environmentVersionsOf = (id: string) => ({
  ...apiPages(allRoutes.listEnvironmentVersions, { params: { id } }),
  refetchInterval: ({
    state,
  }: {
    state: { data?: { pages: readonly { items: readonly EnvironmentVersion[] }[] } | undefined }
  }) => state.data?.pages.some(({ items }) => items.some(isLive)) === true && liveMs,
})

export const environmentVersionOf = (id: string, vid: string) => ({
  ...apiQuery(allRoutes.readEnvironmentVersion, { params: { id, vid } }),
  refetchInterval: ({ state }: { state: { data?: EnvironmentVersion | undefined } }) =>
    state.data !== undefined && isLive(state.data) && liveMs,
})

export const buildsOf = (id: string, vid: string) => apiPages(allRoutes.listBuilds, { params: { id, vid } })

export const hasBuildEnded = ({ terminal_class }: BuildAttempt): boolean => terminal_class !== ''

const untilNextRead = (hasEnded: boolean): number | false =>
  !hasEnded && (isStreamUp.get() ? quietMs : liveMs)

export const buildOf = (params: BuildParams) => ({
  ...apiQuery(allRoutes.readBuild, { params }),
  refetchInterval: ({ state }: { state: { data?: BuildAttempt | undefined } }) =>
    untilNextRead(state.data !== undefined && hasBuildEnded(state.data)),
})

/** Has the answers about the build read again at each of its stages, while it goes on. */
export function useBuildEvents(id: string, isGoing: boolean): void {
  useEffect(() => (isGoing ? followTopic(`build:${id}`) : undefined), [id, isGoing])
}

/** The stages of a build and its failed instruction, for managers of the environment. */
export const buildDetailsOf = (params: BuildParams, hasEnded: boolean) => ({
  ...apiQuery(allRoutes.readBuildDetails, { params }),
  refetchInterval: () => untilNextRead(hasEnded),
})

/** Every environment that has a version to run on, with its newest one. */
export const usableEnvironments = {
  ...apiAll(allRoutes.listEnvironments, {}),
  select: (all: readonly Environment[]) =>
    all.flatMap(({ name, current_version_id: version }) => (version === null ? [] : [{ name, version }])),
}

/** Whether the person may change it: nobody of a company changes those of the operator. Undefined until it is known. */
export function useManagesEnvironment(environment: Environment | undefined): boolean | undefined {
  const manages = useManages(environment)
  return environment?.owner_kind === 'system_curated' ? false : manages
}
