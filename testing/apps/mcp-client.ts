import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** The revisions that clients speak: that of 2026, and those with a handshake. */
export const revisions = [
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ['2025-11-25', { versionNegotiation: { mode: 'legacy' } }],
] as const satisfies [string, ClientOptions][]

/** An unmodified client of the SDK. Requests go to the addresses in turn, as behind a load balancer. */
export async function connectMcp(
  urls: readonly string[],
  { path, headers }: { path: string; headers: Record<string, string> },
  options: ClientOptions = revisions[0][1],
): Promise<Client> {
  let sent = 0
  const client = new Client({ name: 'test', version: '1' }, options)
  const transport = new StreamableHTTPClientTransport(new URL(path, urls[0]), {
    requestInit: { headers },
    fetch: (url, init) => {
      sent += 1
      return fetch(new URL(new URL(url).pathname, urls[sent % urls.length]), init)
    },
  })
  await client.connect(transport)
  return client
}
