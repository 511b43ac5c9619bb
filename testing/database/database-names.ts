/** The migrated database that test databases are copied from. */
export const templateName = 'sandbox_template'

/** The URL of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** The URL of the same database through another loopback port. */
export function databaseUrlVia(url: string, port: number): string {
  const address = new URL(url)
  address.hostname = '127.0.0.1'
  address.port = String(port)
  return address.href
}
