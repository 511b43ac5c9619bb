import { outputCallbackRoutes } from '@sandbox-jobs/contract/routes/output-callback-routes.ts'
import type { FastifyRequest } from 'fastify'
import type { CallbackDeps } from '../../../runs/callbacks/accept-callback.ts'
import { sendCommandOutput } from '../../../runs/callbacks/command-output.ts'
import { writeBack } from '../../../runs/callbacks/write-back.ts'
import type { Mount } from '../../mount.ts'

/** What runs call with their own credential. */
export function mountOutputCallbacks(mount: Mount, deps: CallbackDeps): void {
  mount(outputCallbackRoutes.writeBack, ({ params, request, body }) =>
    writeBack(deps, callOf(params.token_id, request), body),
  )
  mount(outputCallbackRoutes.sendCommandOutput, ({ params, request, body }) =>
    sendCommandOutput(deps, callOf(params.token_id, request), body),
  )
}

const callOf = (tokenId: string, { headers }: FastifyRequest) => ({
  tokenId,
  authorization: headers.authorization,
})
