import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { apiAll, apiQuery } from '../api/queries.ts'
import type { BuildParams } from './environments.ts'
import { readSbom } from './sbom.ts'

/** A scan, a list of packages and a statement never change. */
const forever = { staleTime: Number.POSITIVE_INFINITY }

export const scanReportOf = (params: BuildParams) => ({
  ...apiQuery(allRoutes.readScanReport, { params }),
  ...forever,
})

/** The packages in the image of a build. */
export const sbomOf = (params: BuildParams) =>
  queryOptions({
    queryKey: [allRoutes.readSbom.path, params],
    queryFn: async ({ signal }) => {
      const answer = await api.call(allRoutes.readSbom, { params, signal })
      return readSbom(await answer.json())
    },
    ...forever,
  })

export const provenanceOf = (id: string, vid: string) => ({
  ...apiQuery(allRoutes.readProvenance, { params: { id, vid } }),
  ...forever,
})

export const signingKeys = apiQuery(allRoutes.listSigningKeys, {})

/** All versions of an environment, to choose from. */
export const allVersionsOf = (id: string) => apiAll(allRoutes.listEnvironmentVersions, { params: { id } })
