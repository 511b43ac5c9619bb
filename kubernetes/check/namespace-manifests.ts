import { networkPolicies, type PolicySettings } from '../pod/network-policies.ts'
import { runnerAccount } from '../pod/pod-settings.ts'
import { neededRights } from './account-rights.ts'

/** The account of workers. */
const workerAccount = 'sandbox-worker'
const rbac = 'rbac.authorization.k8s.io'

/** Everything that the namespace of an executor has to have: two accounts, the rights of one of them, and the network policies. */
export function namespaceManifests(namespace: string, settings: PolicySettings) {
  const account = (name: string) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name },
    automountServiceAccountToken: false,
  })
  const objects = [
    account(runnerAccount),
    account(workerAccount),
    {
      apiVersion: `${rbac}/v1`,
      kind: 'Role',
      metadata: { name: workerAccount },
      rules: [
        {
          apiGroups: [''],
          resources: [...new Set(neededRights.map(({ resource }) => resource))],
          verbs: [...new Set(neededRights.map(({ verb }) => verb))],
        },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name: workerAccount },
      roleRef: { apiGroup: rbac, kind: 'Role', name: workerAccount },
      subjects: [{ kind: 'ServiceAccount', name: workerAccount, namespace }],
    },
    ...networkPolicies(settings),
  ]
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: objects.map((object) => ({ ...object, metadata: { ...object.metadata, namespace } })),
  }
}
