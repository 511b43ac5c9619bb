import {
  doorTimeoutDefaultSeconds,
  doorTimeoutMaxSeconds,
  nameMaxLength,
} from '@sandbox-jobs/contract/limits.ts'
import type { DoorWithKey } from '@sandbox-jobs/contract/resources/doors/door.ts'
import { type DoorKind, doorKinds } from '@sandbox-jobs/contract/resources/doors/door-kind.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { CheckBox } from '../../parts/check-box.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { isTimeout, TimeoutField } from '../../parts/timeout-field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { bodyOf, type DoorDraft, isComplete, newLanguage, usuallyHasNetwork } from './door-draft.ts'
import { LanguageFields } from './language-fields.tsx'

interface Props {
  cid: string
  onMade: (door: DoorWithKey) => void
  onClose: () => void
}

const emptyDraft: DoorDraft = {
  name: '',
  kind: 'dify',
  languages: [newLanguage(0)],
  hasNetwork: usuallyHasNetwork('dify'),
  timeout: String(doorTimeoutDefaultSeconds),
}

/** A new door: its platform, and the languages of its programs with their environments. */
export function DoorDialog({ cid, onMade, onClose }: Props) {
  const t = useTexts()
  const [draft, setDraft] = useState(emptyDraft)
  const [isTried, setIsTried] = useState(false)
  const change = (changed: Partial<DoorDraft>) => setDraft((before) => ({ ...before, ...changed }))
  const create = useMutation({
    mutationFn: () => api.call(allRoutes.createDoor, { params: { cid }, body: bodyOf(draft) }),
    onSuccess: onMade,
  })
  const mutate = () => {
    setIsTried(true)
    if (isComplete(draft) && isTimeout(draft.timeout, doorTimeoutMaxSeconds)) create.mutate()
  }
  return (
    <ConfirmDialog
      title={t.doors.create}
      act={t.doors.create}
      mutation={{ mutate, isPending: create.isPending, error: create.error }}
      onClose={onClose}
    >
      <Field
        label={t.environments.name}
        error={isTried && draft.name.trim() === '' ? t.environments.noName : undefined}
      >
        {(tied) => (
          <input
            {...tied}
            maxLength={nameMaxLength}
            value={draft.name}
            onChange={(event) => change({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label={t.doors.platform}>
        {(tied) => (
          <select
            {...tied}
            value={draft.kind}
            onChange={(event) => {
              const kind = event.target.value as DoorKind
              change({ kind, hasNetwork: usuallyHasNetwork(kind) })
            }}
          >
            {doorKinds.map((kind) => (
              <option key={kind} value={kind}>
                {t.doors.kinds[kind]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <LanguageFields
        languages={draft.languages}
        isTried={isTried}
        onChange={(languages) => change({ languages })}
      />
      <TimeoutField
        value={draft.timeout}
        max={doorTimeoutMaxSeconds}
        onValue={(timeout) => change({ timeout })}
      />
      <CheckBox isChecked={draft.hasNetwork} onCheck={(hasNetwork) => change({ hasNetwork })}>
        {t.doors.networkHelp}
      </CheckBox>
    </ConfirmDialog>
  )
}
