package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// factor is a number that a property is multiplied with, such as stroke-width:x0.5.
type factor struct {
	key      string
	property css.Property
	by       float64
}

// factors reads the keys of an op with values such as x0.5.
func (o *op) factors() (out []factor, err error) {
	for _, kv := range o.a.Params {
		text, ok := strings.CutPrefix(strings.ToLower(strings.Replace(kv.Value, "×", "x", 1)), "x")
		by, isNumber := value.ParseNumber(text)
		p, known := property(kv.Key)
		if !ok || !isNumber || !known {
			continue
		}
		if by < 0 {
			return nil, pdk.Errorf("%s:%s: a factor is not negative", kv.Key, kv.Value)
		}
		out = append(out, factor{kv.Key, p, by})
	}
	return out, nil
}

// multiply multiplies a property of elements. Of a group it multiplies what is set in it, if the property is
// inherited. It returns the elements that changed, and the new value, or the factor if the values differ.
func (o *op) multiply(targets []*node, f factor) (changed []*node, text string, err error) {
	var list []*node
	for _, n := range targets {
		own := []*node{}
		for m := range n.All() {
			if _, from := o.scene().Own(m, f.property.Name); m != n && f.property.Inherited && from != scene.Nowhere {
				own = append(own, m)
			}
		}
		if _, from := o.scene().Own(n, f.property.Name); from != scene.Nowhere || !f.property.Inherited || !o.isOverridden(n, f.property.Name) {
			own = append(own, n)
		}
		list = model.Union(list, own)
	}
	values := make([]string, len(list))
	for i, n := range list { // all before the first change, since values are inherited
		if values[i], err = o.multiplied(n, f); err != nil {
			return nil, "", err
		}
	}
	differ := false
	for i, n := range list {
		before := n.Tag
		o.paintKey(n, f.property.Name, values[i])
		if n.Tag != before {
			changed = append(changed, n)
		}
		if text = values[i]; text != values[0] {
			differ = true
		}
	}
	if differ {
		text = "x" + model.Num(f.by)
	}
	return changed, text, nil
}

// multiplied returns the value of a property of an element times a factor.
func (o *op) multiplied(n *node, f factor) (string, error) {
	v := o.scene().Value(n, f.property.Name)
	k, unit, ok := scene.Split(v)
	if f.property.Name == "font-size" && (!ok || unit == "em" || unit == "ex" || unit == "%") { // of another size that may change, too
		k, unit, ok = o.scene().FontSize(n), "", true
	}
	if !ok {
		return "", pdk.Errorf("%s of %s is %s, which is no number to multiply", f.property.Name, o.f.Ref(n), v)
	}
	k *= f.by
	if f.property.Kind == css.Opacity && unit == "" {
		k = min(k, 1)
	}
	return propertyValue(o.f, f.property, model.Num(k)+unit)
}
