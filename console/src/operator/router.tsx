import type { QueryClient } from '@tanstack/react-query'
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { readName } from '../data/search-values.ts'
import { BrokenPage } from '../screens/not-found/broken-page.tsx'
import { NotFoundPage } from '../screens/not-found/not-found-page.tsx'
import { readLogSearch } from './log/log-search.ts'
import { companiesNamed, companyOf } from './operator-api.ts'
import { OperatorShell } from './operator-shell.tsx'
import { OverviewPage } from './overview-page.tsx'

/** The addresses of the operator console. A screen and its data are loaded when the pointer comes near its link. */
export function makeOperatorRouter(queries: QueryClient) {
  const root = createRootRoute({ component: OperatorShell, notFoundComponent: NotFoundPage })
  const overview = createRoute({ getParentRoute: () => root, path: '/', component: OverviewPage })
  const companies = createRoute({
    getParentRoute: () => root,
    path: '/companies',
    validateSearch: readName,
    loaderDeps: ({ search: { name = '' } }) => ({ name }),
    loader: ({ deps: { name } }) => void queries.prefetchQuery(companiesNamed(name)),
    component: lazyRouteComponent(() => import('./companies/companies-page.tsx'), 'CompaniesPage'),
  })
  const company = createRoute({
    getParentRoute: () => root,
    path: '/companies/$id',
    loader: ({ params: { id } }) => void queries.prefetchQuery(companyOf(id)),
    component: lazyRouteComponent(() => import('./companies/company-page.tsx'), 'CompanyPage'),
  })
  // The same screens for all companies and for one.
  const runs = ['/runs', '/companies/$id/runs'].map((path) =>
    createRoute({
      getParentRoute: () => root,
      path,
      component: lazyRouteComponent(() => import('./work/runs-page.tsx'), 'RunsPage'),
    }),
  )
  const builds = ['/builds', '/companies/$id/builds'].map((path) =>
    createRoute({
      getParentRoute: () => root,
      path,
      component: lazyRouteComponent(() => import('./work/builds-page.tsx'), 'BuildsPage'),
    }),
  )
  const network = createRoute({
    getParentRoute: () => root,
    path: '/network',
    component: lazyRouteComponent(() => import('./network/network-page.tsx'), 'NetworkPage'),
  })
  const log = createRoute({
    getParentRoute: () => root,
    path: '/log',
    validateSearch: readLogSearch,
    component: lazyRouteComponent(() => import('./log/log-page.tsx'), 'LogPage'),
  })
  const acts = createRoute({
    getParentRoute: () => root,
    path: '/acts',
    component: lazyRouteComponent(() => import('./acts/acts-page.tsx'), 'ActsPage'),
  })
  const prices = createRoute({
    getParentRoute: () => root,
    path: '/prices',
    component: lazyRouteComponent(() => import('./prices/prices-page.tsx'), 'PricesPage'),
  })
  const images = createRoute({
    getParentRoute: () => root,
    path: '/images',
    component: lazyRouteComponent(() => import('./images/images-page.tsx'), 'ImagesPage'),
  })
  return createRouter({
    routeTree: root.addChildren([
      overview,
      companies,
      company,
      ...runs,
      ...builds,
      images,
      network,
      prices,
      log,
      acts,
    ]),
    basepath: '/operator',
    defaultPreload: 'intent',
    defaultErrorComponent: BrokenPage,
    defaultNotFoundComponent: NotFoundPage,
  })
}
