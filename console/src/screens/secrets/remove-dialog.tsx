import type { SecretRevokeRequest } from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readSecretsAgain } from '../../data/rooms/secrets.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** Removes the value of a slot after a question. */
export function RemoveDialog({ address, onClose }: { address: SecretRevokeRequest; onClose: () => void }) {
  const t = useTexts()
  const queries = useQueryClient()
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const remove = useMutation({
    mutationFn: () => api.call(allRoutes.revokeSecret, { body: address, idempotencyKey }),
    onSuccess: async () => {
      await readSecretsAgain(queries)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t.secrets.removeNamed(address.slot_name)}
      act={t.secrets.remove}
      isDanger
      mutation={remove}
      onClose={onClose}
    >
      <p>{t.secrets.removeWhy}</p>
    </ConfirmDialog>
  )
}
