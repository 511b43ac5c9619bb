import type { DoorCreateRequest, DoorWithKey } from '@sandbox-jobs/contract/resources/doors/door.ts'
import { doorRoutes } from '@sandbox-jobs/contract/routes/door-routes.ts'
import type { Principal } from '../../../server/access/principal.ts'
import { type Answer, ReceivedAnswer } from '../answer.ts'
import { multipartEnd, multipartHeaders, partOf, type SentFile } from '../multipart.ts'
import type { TestApi } from '../test-api.ts'

/** A request of a platform, which knows nothing of this service but its address and a key. */
export interface PlatformRequest {
  method?: 'GET' | 'POST' | 'DELETE'
  path: string
  body?: unknown
  /** The parts of a multipart body. */
  parts?: SentFile[]
  headers?: Record<string, string>
}

/** Doors of a test, and the requests of platforms to them. */
export class DoorSteps {
  readonly #api: TestApi

  constructor(api: TestApi) {
    this.#api = api
  }

  create(manager: Principal, roomId: string, body: DoorCreateRequest): Promise<DoorWithKey> {
    return this.#api.must(doorRoutes.createDoor, manager, { params: { cid: roomId }, body })
  }

  /** Sends it as it is. */
  async send<Body = Record<string, unknown>>({
    method = 'POST',
    path,
    body,
    parts,
    headers = {},
  }: PlatformRequest): Promise<Answer<Body>> {
    const sent = parts
      ? {
          payload: Buffer.concat([...parts.map(partOf), multipartEnd]),
          headers: { ...multipartHeaders, ...headers },
        }
      : { ...(body !== undefined && { payload: body as object }), headers }
    return new ReceivedAnswer<Body>(await this.#api.app.inject({ method, url: path, ...sent }))
  }
}
