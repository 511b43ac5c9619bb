import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { pipeline, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** Where requests go, and from which address of loopback. */
export interface Target {
  url: string
  /** Absent for plain HTTP. */
  ca?: Buffer
  from: string
}

export interface Sent {
  method?: 'GET' | 'POST' | 'PUT'
  path: string
  headers?: Record<string, string>
  body?: string | Readable
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

export async function send(target: Target, sent: Sent): Promise<Answer> {
  const response = await open(target, sent)
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) }
}

/** The answer while it comes in, on a connection of its own. It may come before the whole body was sent. */
export async function open({ url, ca, from }: Target, sent: Sent): Promise<IncomingMessage> {
  const { method = 'GET', path, headers = {}, body } = sent
  const address = new URL(path, url)
  // Closed after the answer, not by the server: it would not read the rest of a body that it refuses.
  const kept = { connection: 'keep-alive', ...headers }
  const options = { method, headers: kept, localAddress: from, family: 4, agent: false as const }
  const request = ca ? tlsRequest(address, { ...options, ca }) : plainRequest(address, options)
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  // The rest of the body may be refused once the answer has come.
  if (body instanceof Readable) pipeline(body, request, () => undefined)
  else request.end(body)
  const [response] = await answered
  request.on('error', () => undefined)
  return response
}
