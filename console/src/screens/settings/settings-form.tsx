import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { imageRetentionMaxDays, runContentRetentionMaxDays } from '@sandbox-jobs/contract/limits.ts'
import type {
  CompanySettings,
  CompanySettingsUpdate,
} from '@sandbox-jobs/contract/resources/companies/company-settings.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { companySettings } from '../../data/company/settings.ts'
import { CheckList } from '../../parts/check-list.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Form } from '../../parts/form.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { ToneBox } from '../../parts/tone-box.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { DaysField } from './days-field.tsx'
import { draftOf, updateOf } from './settings-draft.ts'

const max = { content: runContentRetentionMaxDays, image: imageRetentionMaxDays }

const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'policy_version_conflict'

/** Changes the settings. If somebody else was faster, both values stand beside each other, and the person decides. */
export function SettingsForm({ settings }: { settings: CompanySettings }) {
  const t = useTexts()
  const queries = useQueryClient()
  /** The settings that the person has seen. */
  const [seen, setSeen] = useState(settings)
  const [draft, setDraft] = useState(() => draftOf(settings))
  const [isTried, setIsTried] = useState(false)
  const [isOvertaken, setIsOvertaken] = useState(false)
  function show(stored: CompanySettings, isNewer: boolean): void {
    queries.setQueryData(companySettings.queryKey, stored)
    setSeen(stored)
    setIsOvertaken(isNewer)
  }
  const save = useMutation({
    mutationFn: (body: CompanySettingsUpdate) => api.call(allRoutes.updateSettings, { body }),
    onSuccess: (stored) => show(stored, false),
    onError: async (error) => {
      if (!isConflict(error)) return
      const stored = await api.call(allRoutes.readSettings).catch(() => undefined)
      if (stored) show(stored, true)
    },
  })
  const update = updateOf(draft, seen.policy_version, max)
  function send(): void {
    setIsTried(true)
    if (update !== undefined && !save.isPending) save.mutate(update)
  }
  const stored = draftOf(seen)
  const isSaved = JSON.stringify(stored) === JSON.stringify(draft)
  return (
    <Form className={styles.form} onSubmit={send}>
      <DaysField
        label={t.settings.contentDays}
        help={t.settings.contentHelp}
        max={max.content}
        value={draft.contentDays}
        stored={isOvertaken ? stored.contentDays : undefined}
        onValue={(contentDays) => setDraft({ ...draft, contentDays })}
      />
      <DaysField
        label={t.settings.imageDays}
        help={t.settings.imageHelp}
        max={max.image}
        value={draft.imageDays}
        stored={isOvertaken ? stored.imageDays : undefined}
        onValue={(imageDays) => setDraft({ ...draft, imageDays })}
      />
      {seen.selectable_regions.length > 1 && (
        <CheckList
          legend={t.settings.regions}
          help={isOvertaken ? t.settings.storedNow(stored.regions.join(', ')) : t.settings.regionsHelp}
          error={isTried && draft.regions.length === 0 ? t.settings.noRegion : undefined}
          items={seen.selectable_regions.map((id) => ({ id, text: id }))}
          chosen={draft.regions}
          onChoose={(chosen) =>
            setDraft({ ...draft, regions: seen.selectable_regions.filter((each) => chosen.includes(each)) })
          }
        />
      )}
      {isOvertaken && (
        <ToneBox tone="warning" icon="warning" role="alert">
          <p>{t.settings.overtaken}</p>
        </ToneBox>
      )}
      {save.error && !(isOvertaken && isConflict(save.error)) && <ErrorBox error={save.error} />}
      {save.isSuccess && isSaved && <p role="status">{t.company.saved}</p>}
      <SubmitButton isBusy={save.isPending}>{t.company.save}</SubmitButton>
    </Form>
  )
}
