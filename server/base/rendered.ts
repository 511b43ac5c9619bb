/** A response as its serialized text, for a caller that may have to send the same one again. */
export class Rendered<Answer> {
  readonly text: string

  constructor(answer: Answer) {
    this.text = JSON.stringify(answer)
  }
}
