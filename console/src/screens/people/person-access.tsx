import type { User } from '@sandbox-jobs/contract/resources/companies/user.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readDirectoryAgain } from '../../data/company/directory.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { PasswordAddress } from './password-address.tsx'

/** Whether a person may sign in, and the way to another password. */
export function PersonAccess({ person }: { person: User }) {
  const t = useTexts()
  const queries = useQueryClient()
  const [asked, setAsked] = useState<'disable' | 'reset'>()
  const close = () => setAsked(undefined)
  const params = { id: person.id }
  const isDisabled = person.disabled_at !== null
  const reset = useMutation({
    mutationFn: () => api.call(allRoutes.createPasswordAddress, { params }),
    onSuccess: close,
    gcTime: 0,
  })
  const setDisabled = useMutation({
    mutationFn: (disabled: boolean) => api.call(allRoutes.updateUser, { params, body: { disabled } }),
    onSuccess: async () => {
      // Addresses made before no longer work.
      reset.reset()
      await readDirectoryAgain(queries)
      close()
    },
  })
  return (
    <section className={styles.part}>
      <h2>{t.people.access}</h2>
      {reset.data && <PasswordAddress made={reset.data} />}
      {asked === undefined && setDisabled.error && <ErrorBox error={setDisabled.error} />}
      <div className={styles.acts}>
        {isDisabled ? (
          <Button isBusy={setDisabled.isPending} onPress={() => setDisabled.mutate(false)}>
            {t.people.enable}
          </Button>
        ) : (
          <>
            <Button icon="secret" onPress={() => setAsked('reset')}>
              {t.people.reset}
            </Button>
            <Button icon="stop" onPress={() => setAsked('disable')}>
              {t.people.disable}
            </Button>
          </>
        )}
      </div>
      {asked === 'disable' && (
        <ConfirmDialog
          title={t.people.disableNamed(person.login)}
          act={t.people.disable}
          isDanger
          mutation={{ ...setDisabled, mutate: () => setDisabled.mutate(true) }}
          onClose={close}
        >
          <p>{t.people.disableWhy}</p>
        </ConfirmDialog>
      )}
      {asked === 'reset' && (
        <ConfirmDialog
          title={t.people.resetNamed(person.login)}
          act={t.people.reset}
          isDanger
          mutation={reset}
          onClose={close}
        >
          <p>{t.people.resetWhy}</p>
        </ConfirmDialog>
      )}
    </section>
  )
}
