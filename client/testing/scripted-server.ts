import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Seen {
  url: string
  headers: IncomingMessage['headers']
}

export type Answer = (response: ServerResponse) => void

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

export const broken: Answer = (response) => response.destroy()

/** A server that gives its answers in their order, and the last one from then on. */
export async function scriptedServer() {
  const seen: Seen[] = []
  let answers: Answer[] = []
  const server = createServer((request, response) => {
    request.resume()
    seen.push({ url: request.url ?? '', headers: request.headers })
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    answer?.(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    answers: (...next: Answer[]) => {
      answers = next
      seen.length = 0
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
