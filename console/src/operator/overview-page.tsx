import type { OperatorState } from '@sandbox-jobs/contract/operator/operator-state.ts'
import { useQuery } from '@tanstack/react-query'
import { Fact, Facts } from '../parts/facts.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { ToneBox } from '../parts/tone-box.tsx'
import { useFormats } from '../texts/texts.tsx'
import { operatorState } from './operator-api.ts'
import styles from './overview.module.css'
import { CompanyTable, StorageTable } from './overview-tables.tsx'
import { KillSwitch } from './switch/kill-switch.tsx'
import { useOperatorTexts } from './texts/operator-texts.tsx'
import { WorkTable } from './work/work-table.tsx'

const rows = 8

/** The work on the machine and its use now: numbers and names of companies, and nothing of their content. */
export function OverviewPage() {
  const t = useOperatorTexts()
  const query = useQuery(operatorState)
  const own = t.overview
  return (
    <Page title={own.title} product={t.product} detail={query.data && own.version(query.data.version)}>
      <Panel query={query} rows={rows}>
        {(state) => (
          <>
            <Warnings state={state} />
            <div className={styles.parts}>
              <Machine state={state} />
              <Work state={state} />
              <KillSwitch state={state} />
            </div>
            <CompanyTable companies={state.companies} />
            <WorkTable
              title={own.running}
              none={own.noRuns}
              machine="run"
              id={own.run}
              list={{ items: state.runs, is_cut: false }}
            />
            <StorageTable storage={state.storage} />
          </>
        )}
      </Panel>
    </Page>
  )
}

function Warnings({ state }: { state: OperatorState }) {
  const { enabled, stopped_since, worker, host_agent, disk } = state
  const t = useOperatorTexts().overview
  const warnings = [
    ...(enabled ? [] : [t.disabled]),
    ...(enabled && stopped_since !== null ? [t.stopped] : []),
    ...(worker ? [] : [t.noWorker]),
    ...(host_agent ? [] : [t.noHostAgent]),
    ...(disk.free > disk.floor ? [] : [t.diskFull]),
  ]
  return warnings.map((warning) => (
    <ToneBox key={warning} tone="warning" icon="alert" role="alert">
      {warning}
    </ToneBox>
  ))
}

function Machine({ state: { machine, disk, sandbox_memory } }: { state: OperatorState }) {
  const t = useOperatorTexts().overview
  const { bytes } = useFormats()
  const memoryUsed = machine.memory_total - machine.memory_available
  return (
    <section className={styles.part}>
      <h2>{t.machine}</h2>
      <Facts>
        <Fact name={t.memory}>{t.usedOf(bytes(memoryUsed), bytes(machine.memory_total))}</Fact>
        <Fact name={t.sandboxMemory}>
          {t.usedOf(bytes(sandbox_memory.used), bytes(sandbox_memory.total))}
        </Fact>
        <Fact name={t.disk}>
          {t.usedOf(bytes(disk.total - disk.free), bytes(disk.total))}, {t.staysFree(bytes(disk.floor))}
        </Fact>
        <Fact name={t.load}>
          {machine.load.toFixed(1)}, {t.processors(machine.processors)}
        </Fact>
      </Facts>
    </section>
  )
}

function Work({ state: { run_slots, build_slots, waiting } }: { state: OperatorState }) {
  const t = useOperatorTexts().overview
  const { number, duration } = useFormats()
  const share = ({ used, total }: { used: number; total: number }) => t.usedOf(number(used), number(total))
  const queue = (count: number, seconds: number) =>
    count === 0 ? number(0) : t.oldest(number(count), duration(seconds * 1000))
  return (
    <section className={styles.part}>
      <h2>{t.work}</h2>
      <Facts>
        <Fact name={t.runPlaces}>{share(run_slots)}</Fact>
        <Fact name={t.waitingRuns}>{queue(waiting.runs, waiting.oldest_run)}</Fact>
        <Fact name={t.buildPlaces}>{share(build_slots)}</Fact>
        <Fact name={t.waitingBuilds}>{queue(waiting.builds, waiting.oldest_build)}</Fact>
        <Fact name={t.webhooks}>{number(waiting.webhooks)}</Fact>
        <Fact name={t.mails}>{number(waiting.mails)}</Fact>
        <Fact name={t.auditLag}>{duration(waiting.audit_lag * 1000)}</Fact>
        <Fact name={t.lockWaits}>{number(waiting.lock_waits)}</Fact>
      </Facts>
    </section>
  )
}
