import type { CompanySettings } from '@sandbox-jobs/contract/resources/companies/company-settings.ts'
import { useQuery } from '@tanstack/react-query'
import { companySettings } from '../../data/company/settings.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { CompanyPage } from '../company/company-page.tsx'
import { SettingsForm } from './settings-form.tsx'

/** The settings of the company, and the limits that the operator decides. */
export function SettingsPage() {
  const settings = useQuery(companySettings)
  return (
    <CompanyPage part="settings">
      <Panel query={settings} rows={4}>
        {(shown) => (
          <>
            <SettingsForm settings={shown} />
            <Limits settings={shown} />
          </>
        )}
      </Panel>
    </CompanyPage>
  )
}

function Limits({ settings }: { settings: CompanySettings }) {
  const t = useTexts()
  const formats = useFormats()
  return (
    <section className={styles.form}>
      <h2>{t.settings.limits}</h2>
      <Facts>
        <Fact name={t.settings.timeout}>{formats.duration(settings.timeout_ceiling_seconds * 1000)}</Fact>
        <Fact name={t.settings.internet}>
          {settings.runtime_egress_enabled ? t.settings.allowed : t.settings.notAllowed}
        </Fact>
        <Fact name={t.settings.environments}>{formats.number(settings.active_environment_limit)}</Fact>
        <Fact name={t.settings.versions}>{formats.number(settings.capacity_retained_version_limit)}</Fact>
      </Facts>
    </section>
  )
}
