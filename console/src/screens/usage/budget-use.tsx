import type { BudgetUse as Budget } from '@sandbox-jobs/contract/resources/companies/budget-use.ts'
import { useQuery } from '@tanstack/react-query'
import { budget } from '../../data/company/usage.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'

/** The budget of the month, with what is spent and what is reserved of it. */
export function BudgetUse() {
  const t = useTexts()
  const use = useQuery(budget)
  return (
    <section className={styles.part}>
      <h2>{t.usage.budget(use.data?.month ?? '')}</h2>
      <Panel query={use} rows={2}>
        {(shown) => <BudgetFacts use={shown} />}
      </Panel>
    </section>
  )
}

function BudgetFacts({ use }: { use: Budget }) {
  const t = useTexts()
  const formats = useFormats()
  const { currency, limit, has_budgets: hasBudgets } = use
  const money = (amount: string) => (currency === null ? amount : formats.money(amount, currency))
  const used = Number(use.spent) + Number(use.held)
  const words = limit === null ? (hasBudgets ? t.usage.nothingAllowed : t.usage.noLimit) : money(limit)
  return (
    <>
      <Facts>
        <Fact name={t.usage.limit}>{words}</Fact>
        <Fact name={t.usage.spent}>{money(use.spent)}</Fact>
        <Fact name={t.usage.held}>{money(use.held)}</Fact>
      </Facts>
      {limit !== null && (
        <progress className={styles.meter} aria-label={t.usage.used} max={Number(limit)} value={used} />
      )}
    </>
  )
}
