import { outputCallbackRoutes } from '@sandbox-jobs/contract/routes/output-callback-routes.ts'
import type { FastifyRequest } from 'fastify'
import { type CallbackDeps, credentialOf } from '../../../runs/callbacks/accept-callback.ts'
import { sendCommandOutput } from '../../../runs/callbacks/command-output.ts'
import { writeBack } from '../../../runs/callbacks/write-back.ts'
import type { Mount } from '../../mount.ts'

/** Routes that runs call with their own credential. */
export function mountOutputCallbacks(mount: Mount, deps: CallbackDeps): void {
  const admit = ({ token_id: tokenId }: { token_id: string }, { headers }: FastifyRequest) =>
    credentialOf(deps, { tokenId, authorization: headers.authorization })
  mount.admitted(outputCallbackRoutes.writeBack, admit, ({ body }, credential) =>
    writeBack(deps, credential, body),
  )
  mount.admitted(outputCallbackRoutes.sendCommandOutput, admit, ({ body }, credential) =>
    sendCommandOutput(deps, credential, body),
  )
}
