import type { SecretRevokeRequest } from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readSecretsAgain } from '../../data/rooms/secrets.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import {
  problemOf,
  type SealedValue,
  sealValue,
  type ValueProblem,
  withoutLastLineFeed,
} from './sealed-value.ts'
import styles from './secrets.module.css'

interface Props {
  address: SecretRevokeRequest
  /** The slot has a value, which the new one replaces. */
  isReplaced: boolean
  onClose: () => void
}

/**
 * Stores a value, which is encrypted here and leaves the page in no other form. It is read from the field when it is sent, so
 * that neither React nor the cache of requests holds it, and the field is empty from then on.
 */
export function ValueDialog({ address, isReplaced, onClose }: Props) {
  const t = useTexts()
  const queries = useQueryClient()
  const field = useRef<HTMLTextAreaElement>(null)
  const sealed = useRef<SealedValue>(undefined)
  const [problem, setProblem] = useState<ValueProblem>()
  const store = useMutation({
    mutationFn: async () => {
      const { encrypted, idempotencyKey } = await takeValue()
      return api.call(isReplaced ? allRoutes.rotateSecret : allRoutes.createSecret, {
        body: { ...address, encrypted_value: encrypted },
        idempotencyKey,
      })
    },
    onSuccess: async () => {
      await readSecretsAgain(queries)
      onClose()
    },
  })

  /** A value that was encrypted for a request that failed is sent again, unless another one was typed. */
  async function takeValue(): Promise<SealedValue> {
    const value = typedValue()
    if (value === '' && sealed.current) return sealed.current
    const publicKey = await api.call(allRoutes.readPublicKey)
    sealed.current = await sealValue(publicKey, value)
    if (field.current) field.current.value = ''
    return sealed.current
  }

  const typedValue = () => withoutLastLineFeed(field.current?.value ?? '')

  function send(): void {
    if (store.isPending) return
    const value = typedValue()
    const found = value === '' && sealed.current ? undefined : problemOf(value)
    setProblem(found)
    if (found === undefined) store.mutate()
  }

  return (
    <Dialog title={t.secrets.setFor(address.slot_name, isReplaced)} onClose={onClose}>
      <Form className={styles.form} onSubmit={send}>
        <Field
          label={t.secrets.value}
          help={t.secrets.valueHelp}
          error={problem && t.secrets.problems[problem]}
        >
          {(tied) => (
            <textarea
              {...tied}
              ref={field}
              className={styles.value}
              rows={3}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
            />
          )}
        </Field>
        {store.error && (
          <>
            <ErrorBox error={store.error} />
            <p>{t.secrets.stillSealed}</p>
          </>
        )}
        <SubmitButton isBusy={store.isPending}>{t.secrets.store}</SubmitButton>
      </Form>
    </Dialog>
  )
}
