import type { OperatedCompany } from '@sandbox-jobs/contract/operator/operator-company.ts'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { useFormats } from '../../texts/texts.tsx'
import { useActRefusal } from '../act-dialog.tsx'
import { Table } from '../operator-table.tsx'
import styles from '../overview.module.css'
import { useOperatorTexts } from '../texts/operator-texts.tsx'
import { RemoveBudgets, SetBudget } from './budget-dialogs.tsx'

/** The budget of a company this month, its use, and acts on it. */
export function BudgetPart({ company }: { company: OperatedCompany }) {
  const t = useOperatorTexts().budget
  const disabledWhy = useActRefusal()
  const money = useMoney()
  const [open, setOpen] = useState<'set' | 'remove' | undefined>()
  const close = () => setOpen(undefined)
  const { budgets, month, limit, held, spent } = company.budget
  return (
    <section className={styles.part}>
      <h2>{t.title(month)}</h2>
      <Facts>
        <Fact name={t.limit}>
          {limit !== null ? money(limit) : budgets.length === 0 ? t.noLimit : t.noBudget}
        </Fact>
        <Fact name={t.held}>{money(held)}</Fact>
        <Fact name={t.spent}>{money(spent)}</Fact>
      </Facts>
      {budgets.length > 0 && (
        <Table
          title={t.all}
          none=""
          rows={budgets}
          keyOf={(each) => `${each.month} ${each.recurring}`}
          columns={[
            { name: t.month, show: (each) => (each.recurring ? t.andLater(each.month) : each.month) },
            { name: t.amount, show: ({ amount }) => money(amount) },
          ]}
        />
      )}
      <p className={styles.links}>
        <Button disabledWhy={disabledWhy} onPress={() => setOpen('set')}>
          {t.set}
        </Button>
        {budgets.length > 0 && (
          <Button disabledWhy={disabledWhy} onPress={() => setOpen('remove')}>
            {t.remove}
          </Button>
        )}
      </p>
      {open === 'set' && <SetBudget company={company} onClose={close} />}
      {open === 'remove' && <RemoveBudgets company={company} onClose={close} />}
    </section>
  )
}

/** All prices are in one currency. */
function useMoney(): (amount: string) => string {
  const formats = useFormats()
  return (amount) => formats.money(amount, 'USD')
}
