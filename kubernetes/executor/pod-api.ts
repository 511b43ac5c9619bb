import type { KubernetesClient } from '../api/client.ts'

/** The part of the API server that an executor of pods uses. */
export type PodApi = Pick<KubernetesClient, 'create' | 'get' | 'delete' | 'list' | 'watch'>
