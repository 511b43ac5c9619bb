/** The collection of the pods of a namespace. */
export const podsOf = (namespace: string): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`
