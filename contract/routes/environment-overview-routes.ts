import { catalogPageSizeDefault } from '../limits.ts'
import { listQuery } from '../pagination.ts'
import { EnvironmentOverviewList } from '../resources/environments/environment-overview.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

/** Environments, for the pages of their authors. */
export const environmentOverviewRoutes = {
  listEnvironmentOverviews: route({
    action: 'environment.list',
    tag: 'Environments',
    method: 'GET',
    path: `${extensionPrefix}/environment-overviews`,
    summary: 'List environments with their size, findings and use',
    description:
      'As listEnvironments. Findings and tasks are counted for who manages the environment (listFindings).',
    query: listQuery(catalogPageSizeDefault),
    response: EnvironmentOverviewList,
    errors: [],
  }),
}
