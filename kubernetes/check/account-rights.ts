import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import type { KubernetesClient } from '../api/client.ts'
import { bad, type ClusterFinding, good } from './finding.ts'

interface Right {
  verb: string
  resource: string
  subresource?: string
}

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

/** Rights that the executor uses, all in the namespace of its runs. */
export const neededRights: readonly Right[] = ['create', 'get', 'list', 'watch', 'delete'].map((verb) => ({
  verb,
  resource: 'pods',
}))

/** Each of these gives what a run has, or the namespace, to somebody who takes over a worker. */
const surplusRights: readonly Right[] = [
  { verb: 'create', resource: 'pods', subresource: 'exec' },
  { verb: 'get', resource: 'secrets' },
  { verb: 'create', resource: 'rolebindings' },
  { verb: 'delete', resource: 'networkpolicies' },
]

const groupOf: Record<string, string> = {
  rolebindings: 'rbac.authorization.k8s.io',
  networkpolicies: 'networking.k8s.io',
}

const named = ({ verb, resource, subresource }: Right) =>
  `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`

/** The rights of the account in a namespace, by the API server's own word. */
export async function accountRights(client: KubernetesClient, namespace: string): Promise<ClusterFinding[]> {
  const isAllowed = async ({ verb, resource, subresource }: Right) => {
    const attributes = { namespace, verb, resource, group: groupOf[resource] ?? '', subresource }
    const { status } = await client.review(reviews, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: attributes },
    })
    return isJsonObject(status) && status.allowed === true
  }
  const those = async (rights: readonly Right[], allowed: boolean) => {
    const answers = await Promise.all(rights.map(isAllowed))
    return rights.filter((_, at) => answers[at] === allowed).map(named)
  }
  const [missing, surplus] = await Promise.all([those(neededRights, false), those(surplusRights, true)])
  return [
    missing.length === 0
      ? good('rights', neededRights.map(named).join(', '))
      : bad(
          'rights',
          `the account may not: ${missing.join(', ')}`,
          `apply what sandbox operator kubernetes manifests prints, in ${namespace}`,
        ),
    surplus.length === 0
      ? { ...good('surplus_rights', 'none'), needed: false }
      : {
          ...bad(
            'surplus_rights',
            `the account may also: ${surplus.join(', ')}`,
            'give it the printed role alone',
          ),
          needed: false,
        },
  ]
}
