package widget

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/widget/action"
	"github.com/railkit/railkit/kit/widget/miniapp"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

const miniAppPath = "/v1/action/{id}"

// MiniAppPath names a mini app.
type MiniAppPath struct {
	ID string `path:"id" maxLength:"64"`
}

// registerMiniApps registers what pages of anybody read before they render a widget.
func registerMiniApps(s *edge.Server, kit *miniapp.Service) {
	edge.PublicList(s, edge.Op{
		ID: "listMiniApps", Path: "/v1/action/directory", Tag: widgetsTag, AnyOrigin: true,
		Summary: "List the mini apps that the operator vouches for, newest first",
		Description: "A page that meets a widget's URL looks for its host here: `trusted` may be rendered, `denied` must not, " +
			"and a host that is not listed is one that nobody here knows.",
	}, func(ctx context.Context, in *struct{ edge.Paging }) (edge.Page[rest.DirectoryEntry], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]rest.DirectoryEntry, *page.Cursor, int, error) {
			return kit.Directory(ctx, at)
		})
	})
	edge.Public(s, edge.Op{
		ID: "getMiniApp", Path: miniAppPath, Tag: widgetsTag, AnyOrigin: true, Lone: true, Bare: true,
		Summary:     "Get a mini app, with every field, also one that was switched off",
		Description: "Without the envelope. What is not known is null.",
	}, func(ctx context.Context, in *MiniAppPath) (miniapp.MiniAppView, error) {
		m, err := kit.Find(ctx, in.ID)
		if err != nil {
			return miniapp.MiniAppView{}, err
		}
		return m.View(), nil
	})
	edge.Public(s, edge.Op{
		ID: "getMiniAppMetadata", Path: miniAppPath + "/metadata", Tag: widgetsTag,
		AnyOrigin: true, Lone: true, Bare: true,
		Summary:     "Get the metadata of a mini app, as a widget takes them",
		Description: "Without the envelope. 404 also where the operator has switched it off.",
	}, func(ctx context.Context, in *MiniAppPath) (action.Metadata, error) {
		return kit.Metadata(ctx, in.ID)
	})
}
