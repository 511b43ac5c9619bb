import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../data/api/api.ts'
import { environmentVersionOf } from '../../data/authoring/environments.ts'
import { Button } from '../../parts/button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { FinalAct } from '../../parts/final-act.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** Versions that were never built, or whose build may be repeated. */
const routesByState: Readonly<Record<string, typeof allRoutes.createBuild | typeof allRoutes.retryBuild>> = {
  draft: allRoutes.createBuild,
  retryable_failed: allRoutes.retryBuild,
}
const cannotBeArchived = ['archived', 'build_queued', 'building']

/** The acts that are possible on a version now, for who manages its environment. */
export function VersionActions({ version }: { version: EnvironmentVersion }) {
  const t = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const params = { id: version.environment_id, vid: version.id }
  const route = routesByState[version.state]
  const build = useMutation({
    mutationFn: () => api.call(route ?? allRoutes.createBuild, { params }),
    onSuccess: ({ id: aid }) =>
      navigate({ to: '/environments/$id/versions/$vid/builds/$aid', params: { ...params, aid } }),
  })
  return (
    <>
      {route && (
        <Button icon="play" isBusy={build.isPending} onPress={() => build.mutate()}>
          {version.state === 'draft' ? t.environments.startBuild : t.environments.buildAgain}
        </Button>
      )}
      {!cannotBeArchived.includes(version.state) && (
        <FinalAct
          icon="archive"
          act={t.environments.archiveVersion}
          title={t.environments.archiveVersion}
          why={t.environments.archiveWhy}
          run={() => api.call(allRoutes.archiveEnvironmentVersion, { params })}
          onDone={() => queries.invalidateQueries(environmentVersionOf(params.id, params.vid))}
        />
      )}
      {build.error && <ErrorBox error={build.error} />}
    </>
  )
}
