import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { IconName } from '../design/icon.tsx'
import { Button } from './button.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'

interface Props {
  icon?: IconName
  /** The name of a button that is one of several with the same words. It may name a thing of a tenant. */
  label?: string
  /** The words of the button. */
  act: string
  title: string
  /** The effect, in words. */
  why: string
  run: () => Promise<unknown>
  onDone: () => unknown
}

/** A button for an act that cannot be undone, which asks first. */
export function FinalAct({ act, title, why, run, onDone, ...button }: Props) {
  const [isAsked, setIsAsked] = useState(false)
  const mutation = useMutation({
    mutationFn: run,
    onSuccess: async () => {
      setIsAsked(false)
      await onDone()
    },
  })
  return (
    <>
      <Button {...button} onPress={() => setIsAsked(true)}>
        {act}
      </Button>
      {isAsked && (
        <ConfirmDialog title={title} act={act} isDanger mutation={mutation} onClose={() => setIsAsked(false)}>
          <p>{why}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
