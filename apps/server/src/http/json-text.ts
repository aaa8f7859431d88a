/** A body that is JSON already, such as one that the database has written. `res.json` sends it as it is. */
export class JsonText {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /**
   * Makes a body of a handler. Its type is that of the value which the text means, because that is what
   * the contract describes; nothing but `res.json` can read it.
   */
  static of<Value>(text: string): Value {
    return new JsonText(text) as Value;
  }
}
