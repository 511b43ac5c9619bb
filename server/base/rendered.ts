/** An answer as the text that it is sent as, for who may have to give the same one again. */
export class Rendered<Answer> {
  readonly text: string

  constructor(answer: Answer) {
    this.text = JSON.stringify(answer)
  }
}
