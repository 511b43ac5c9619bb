const keyPattern = /^[a-z0-9][a-z0-9_.-]*(\/[a-z0-9][a-z0-9_.-]*){0,6}$/

/** The key, unless no object can have it: keys are the service's own, never a tenant's text. */
export function objectKey(key: string): string {
  if (!keyPattern.test(key)) throw new Error(`not an object key: ${JSON.stringify(key)}`)
  return key
}
