import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorBox } from './error-box.tsx'

interface Props {
  title: string
  /** The words of the button that does it. */
  act: string
  isDanger?: boolean
  mutation: Pick<UseMutationResult<unknown, Error, void>, 'mutate' | 'isPending' | 'error'>
  onClose: () => void
  /** The effect, in words. */
  children: ReactNode
}

/** Says what an act does and asks before it is done. */
export function ConfirmDialog({ title, act, isDanger = false, mutation, onClose, children }: Props) {
  const t = useTexts()
  return (
    <Dialog
      title={title}
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>{t.cancel}</Button>
          <Button
            kind={isDanger ? 'danger' : 'filled'}
            isBusy={mutation.isPending}
            onPress={() => mutation.mutate()}
          >
            {act}
          </Button>
        </>
      }
    >
      {children}
      {mutation.error && <ErrorBox error={mutation.error} />}
    </Dialog>
  )
}
