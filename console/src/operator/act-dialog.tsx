import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { ReasonField } from '../parts/reason-field.tsx'
import { operatorState } from './operator-api.ts'
import { useOperatorTexts } from './texts/operator-texts.tsx'

interface Props {
  title: string
  /** The words of the button that does it. */
  act: string
  /** Whether the other fields of the dialog have values that can be sent. */
  isReady?: boolean
  perform: (reason: string) => Promise<unknown>
  onDone?: () => void
  onClose: () => void
  /** The effect, in words. */
  children: ReactNode
}

/** Says what an act does, and asks why before it is done. Everything that is shown is read again afterwards. */
export function ActDialog({ title, act, isReady = true, perform, onDone, onClose, children }: Props) {
  const t = useOperatorTexts().acts
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const [isTried, setIsTried] = useState(false)
  const isMissing = reason.trim() === ''
  const doing = useMutation({
    mutationFn: () => perform(reason),
    onSuccess: async () => {
      await queries.invalidateQueries()
      onDone?.()
      onClose()
    },
  })
  const mutate = () => {
    setIsTried(true)
    if (!isMissing && isReady) doing.mutate()
  }
  return (
    <ConfirmDialog
      title={title}
      act={act}
      isDanger
      mutation={{ mutate, isPending: doing.isPending, error: doing.error }}
      onClose={onClose}
    >
      {children}
      <ReasonField value={reason} error={isTried && isMissing ? t.noReason : undefined} onValue={setReason} />
      <p>{t.isLogged}</p>
    </ConfirmDialog>
  )
}

/** Why this sign-in may do no act; undefined: it may. */
export function useActRefusal(): string | undefined {
  const t = useOperatorTexts()
  const { data } = useQuery(operatorState)
  return data?.sign_in.access === 'read_only' ? t.readOnly : undefined
}
