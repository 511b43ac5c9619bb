/*
 * Routes of the operator console. Its process serves them and no route of tenants. The API serves none of them, so its document leaves
 * them out.
 */
export const operatorRoutes = {
  signIn: { method: 'POST', path: '/operator/api/v1/sign-in' },
  signOut: { method: 'POST', path: '/operator/api/v1/sign-out' },
  readState: { method: 'GET', path: '/operator/api/v1/state' },
  listCompanies: { method: 'GET', path: '/operator/api/v1/companies' },
  readCompany: { method: 'GET', path: '/operator/api/v1/companies/{id}' },
  listRuns: { method: 'GET', path: '/operator/api/v1/runs' },
  endRun: { method: 'POST', path: '/operator/api/v1/runs/{id}/end' },
  emptyQueue: { method: 'POST', path: '/operator/api/v1/companies/{id}/queue/empty' },
  listBuilds: { method: 'GET', path: '/operator/api/v1/builds' },
  stopBuilds: { method: 'PUT', path: '/operator/api/v1/build-fence' },
  resumeBuilds: { method: 'POST', path: '/operator/api/v1/build-fence/lift' },
  turnSwitchOn: { method: 'PUT', path: '/operator/api/v1/kill-switch' },
  turnSwitchOff: { method: 'POST', path: '/operator/api/v1/kill-switch/lift' },
  setBudget: { method: 'PUT', path: '/operator/api/v1/companies/{id}/budget' },
  removeBudgets: { method: 'POST', path: '/operator/api/v1/companies/{id}/budget/remove' },
  listGatewayKeys: { method: 'GET', path: '/operator/api/v1/companies/{id}/gateway-keys' },
  revokeGatewayKey: {
    method: 'POST',
    path: '/operator/api/v1/companies/{id}/gateway-keys/{key}/revoke',
  },
  readPrices: { method: 'GET', path: '/operator/api/v1/prices' },
  listBlocks: { method: 'GET', path: '/operator/api/v1/blocks' },
  readLog: { method: 'GET', path: '/operator/api/v1/log' },
  readNetwork: { method: 'GET', path: '/operator/api/v1/network' },
  listActs: { method: 'GET', path: '/operator/api/v1/acts' },
  setLimits: { method: 'PATCH', path: '/operator/api/v1/companies/{id}' },
} as const

/** The page that signs in with the code behind `#` of its address. */
export const operatorSignInPage = '/operator/sign-in'

/** A page sets this header to 1 if its operator has used it since its last request. Other requests do not prolong the sign-in. */
export const operatorUseHeader = 'x-sandbox-operator-use'
