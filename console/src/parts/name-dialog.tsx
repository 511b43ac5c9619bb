import type { UseMutationResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { ErrorBox } from './error-box.tsx'
import { Form } from './form.tsx'
import styles from './name-dialog.module.css'
import { NameField } from './name-field.tsx'
import { SubmitButton } from './submit-button.tsx'

interface Props {
  title: string
  /** The words of the button that sends it. */
  act: string
  before?: string
  mutation: Pick<UseMutationResult<unknown, Error, string>, 'mutate' | 'isPending' | 'error'>
  onClose: () => void
  /** Further fields. */
  children?: ReactNode
}

/** Asks for the name of a thing. */
export function NameDialog({ title, act, before = '', mutation, onClose, children }: Props) {
  const [name, setName] = useState(before)
  const [isTried, setIsTried] = useState(false)
  const isNamed = name.trim() !== ''
  function send(): void {
    setIsTried(true)
    if (isNamed && !mutation.isPending) mutation.mutate(name)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form className={styles.form} onSubmit={send}>
        <NameField value={name} isTried={isTried} onValue={setName} />
        {children}
        {mutation.error && <ErrorBox error={mutation.error} />}
        <SubmitButton isBusy={mutation.isPending}>{act}</SubmitButton>
      </Form>
    </Dialog>
  )
}
