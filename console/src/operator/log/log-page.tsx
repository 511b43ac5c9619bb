import { loggedServices, type ServiceLogLine } from '@sandbox-jobs/contract/operator/service-log.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useSettled } from '../../data/settled.ts'
import { AddressSearch } from '../../parts/address-search.tsx'
import { CheckBox } from '../../parts/check-box.tsx'
import { DateTime } from '../../parts/date-time.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { Commands } from '../commands.tsx'
import { logOf } from '../operator-api.ts'
import { Table } from '../operator-table.tsx'
import styles from '../overview.module.css'
import { useOperatorTexts } from '../texts/operator-texts.tsx'
import { LogFilters } from './log-filters.tsx'
import { readLogSearch } from './log-search.ts'

const typingPauseMs = 250

/** The newest lines of the logs of the service, by process, level and text. */
export function LogPage() {
  const t = useOperatorTexts()
  const { paused, ...search } = readLogSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const set = (change: object) => {
    // The types of addresses are those of the web console.
    const changed = (before: object): object => readLogSearch({ ...before, ...change })
    void navigate({ to: '.', search: changed, replace: true })
  }
  const query = useQuery(logOf(useSettled(search, typingPauseMs), paused !== true))
  return (
    <Page title={t.log.title} product={t.product}>
      <AddressSearch label={t.log.search} value={search.text ?? ''} onValue={(text) => set({ text })} />
      <div className={styles.fields}>
        <LogFilters search={search} onChange={set} />
      </div>
      <CheckBox isChecked={paused !== true} onCheck={(isLive) => set({ paused: !isLive })}>
        {t.log.live}
      </CheckBox>
      <p>{t.log.bounds}</p>
      <Panel query={query} rows={10}>
        {({ items }) => <Lines items={items} />}
      </Panel>
      <Commands
        commands={[
          {
            does: t.log.follow,
            line: `sandbox logs --service ${search.service ?? loggedServices.join()} --follow`,
          },
          { does: t.log.trace, line: 'sandbox operator request ID' },
          { does: t.log.more, line: 'sandbox operator log-level debug' },
        ]}
      />
    </Page>
  )
}

function Lines({ items }: { items: readonly ServiceLogLine[] }) {
  const t = useOperatorTexts().log
  const rows = items.map((line, at) => ({ ...line, key: `${line.at} ${line.service} ${at}` }))
  return (
    <Table
      title={t.lines}
      none={t.none}
      rows={rows}
      keyOf={({ key }) => key}
      columns={[
        { name: t.at, show: ({ at }) => (at === null ? t.unknown : <DateTime at={at} />) },
        { name: t.service, show: ({ service }) => service, isWide: true, isWord: true },
        { name: t.level, show: ({ level }) => level, isWide: true, isWord: true },
        { name: t.line, show: (line) => <TenantText text={wordsOf(line)} /> },
      ]}
    />
  )
}

/** The message, and each field with its name. */
const wordsOf = ({ text, fields }: ServiceLogLine): string =>
  [text, ...Object.entries(fields).map(([name, value]) => `${name}=${value}`)].join(' ')
