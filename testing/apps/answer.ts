import type { ResponseOf, Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { LightMyRequestResponse } from 'fastify'

/** A response of the API. */
export interface Answer<Body = unknown> {
  status: number
  headers: LightMyRequestResponse['headers']
  /** Parsed, if the response is JSON. */
  body: Body
  text: string
  bytes: Buffer
}

/** The body of a refused call; plain refusals have a text there. */
interface Refused {
  detail: { code: string; message: string } & Record<string, unknown>
}

/** The body that a route declares, or that of a refusal. */
export type BodyOfAnswer<R extends Route> =
  ResponseOf<R> extends undefined ? Refused : ResponseOf<R> & Refused

/** Tests compare `status` and `body` by `toEqual`; the rest are getters. */
export class ReceivedAnswer<Body> implements Answer<Body> {
  readonly status: number
  readonly body: Body
  readonly #response: LightMyRequestResponse

  constructor(response: LightMyRequestResponse) {
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    this.status = response.statusCode
    this.body = (isJson && response.body !== '' ? response.json() : undefined) as Body
    this.#response = response
  }

  get headers() {
    return this.#response.headers
  }

  get text() {
    return this.#response.body
  }

  get bytes() {
    return this.#response.rawPayload
  }
}

/** The code of a refused call, or the text of a plain refusal. */
export const codeOf = (answer: Answer): unknown => {
  const detail = (answer.body as { detail?: unknown } | undefined)?.detail
  return detail instanceof Object && 'code' in detail ? detail.code : detail
}
